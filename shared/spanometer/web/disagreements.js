  const { annotators, labels, kinds, places, passages } = data;

  // a place: passage, kinds as bits, cost, readings; a reading: annotators, marks
  const PASSAGE = 0, KINDS = 1, COST = 2, READINGS = 3;
  const NOTHING = -1;
  const labelsAt = places.map((place) =>
    new Set(place[READINGS].flatMap(([, marks]) => marks.map(([, , label]) => label))));
  // most have a span if more than half do
  const styles = [
    { kind: "most", symbol: "●", title: "more than half have it", line: "solid line" },
    { kind: "some", symbol: "◐", title: "several have it", line: "dashed line" },
    { kind: "one", symbol: "○", title: "one has it", line: "dotted line" },
    { kind: "nothing", symbol: "–", title: "no span here", line: "double line" },
  ];
  const dress = ([, , label, held]) => {
    if (label === NOTHING) return { ...styles[3], label: "nothing", more: "" };
    const style = styles[held * 2 > annotators.length ? 0 : held > 1 ? 1 : 2];
    return { ...style, title: `${labels[label]}: ${held} of ${annotators.length}`, label: labels[label], more: style.title };
  };

  // what is chosen
  const none = { kinds: new Set(), label: "", other: "", outvoted: "", search: "" };
  const chosen = { ...none, order: "cost" };
  const outvoted = (readings, annotator) =>
    readings.find(([who]) => who.includes(annotator))[0].length < readings[0][0].length;
  const fits = (place, number) => {
    const wanted = chosen.search.trim().toLowerCase();
    const both = [chosen.label, chosen.other].filter((label) => label !== "").map(Number);
    return (chosen.kinds.size === 0 || [...chosen.kinds].some((kind) => place[KINDS] & (1 << kind))) &&
      both.every((label) => labelsAt[number].has(label)) &&
      (chosen.outvoted === "" || outvoted(place[READINGS], Number(chosen.outvoted))) &&
      (!wanted || textOf(passages[place[PASSAGE]]).includes(wanted));
  };

  let matches = [];
  const search = () => {
    matches = [...places.keys()].filter((number) => fits(places[number], number));
    if (chosen.order === "text")
      matches.sort((a, b) => places[a][PASSAGE] - places[b][PASSAGE] || firstOf(a) - firstOf(b));
    const cost = matches.reduce((sum, number) => sum + places[number][COST], 0);
    byId("found").textContent = several(matches.length, "place") +
      (data.total > places.length ? ` of the ${amount(places.length)} that cost most, of ${amount(data.total)}` : "") +
      `; together they cost ${cost.toFixed(4)}.`;
    list.show(matches);
  };
  const firstOf = (number) => Math.min(...places[number][READINGS].flatMap(([, marks]) => marks.map(([start]) => start)));

  const cost = (value) => (value === 0 ? "0" : value.toPrecision(2));
  const card = (number) => {
    const [at, bits, price, readings] = places[number];
    const passage = passages[at], where = whereIs(passage);
    const names = kinds.filter((kind, code) => bits & (1 << code)).map(({ name }) => name).join(", ");
    return make("article", { class: "sm-pair", "aria-label": where },
      make("p", { class: "er-place" }, make("b", {}, where), ` · ${names} · cost ${cost(price)}`),
      ...readings.map(([who, marks]) => lineOf(make("span", {}, make("b", {}, `${who.length}`),
        ` ${who.map((one) => annotators[one]).join(", ")}`), passage, marks, dress)));
  };
  const list = listing(byId("sentences"), byId("more"), card);
  whenPrinted(() => `Printed: ${list.portion()} ${several(matches.length, "place")} that were chosen.`);

  // the filters
  const buttons = kinds.map(({ name, help, count }, kind) => {
    const button = make("button", { type: "button", class: "er-button", "aria-pressed": "false", title: help },
      `${name} `, make("b", {}, amount(count)));
    button.addEventListener("click", () => {
      if (!chosen.kinds.delete(kind)) chosen.kinds.add(kind);
      refresh();
    });
    return button;
  });
  byId("kinds").append(...buttons);
  const options = (names) =>
    [make("option", { value: "" }, "any"), ...names.map((name, code) => make("option", { value: code }, name))];
  for (const name of ["label", "other"])
    byId(name).append(...options(labels), make("option", { value: NOTHING }, "nothing"));
  byId("outvoted").append(...options(annotators));
  byId("outvoted-field").hidden = annotators.length < 3;
  const fields = ["label", "other", "outvoted", "order"];
  for (const name of fields)
    byId(name).addEventListener("change", (event) => { chosen[name] = event.target.value; refresh(); });
  typed(byId("search"), (text) => { chosen.search = text; search(); });
  const refresh = () => {
    buttons.forEach((button, kind) => button.setAttribute("aria-pressed", chosen.kinds.has(kind)));
    for (const name of [...fields, "search"]) byId(name).value = chosen[name];
    search();
  };
  const choose = (changes) => {
    Object.assign(chosen, none, { kinds: new Set() }, changes);
    refresh();
  };
  byId("clear").addEventListener("click", () => choose({}));

  // the matrix of labels: its cells are [label, other label, pairs of spans]; after all labels comes nothing
  const cells = new Map(data.matrix.flatMap(([row, column, count]) => [[`${row} ${column}`, count], [`${column} ${row}`, count]]));
  const most = Math.max(1, ...data.matrix.filter(([row, column]) => row !== column).map(([, , count]) => count));
  const heads = [...labels, "nothing"];
  const cell = (row, column) => {
    const count = cells.get(`${row} ${column}`) ?? 0;
    const value = count ? amount(count) : "·";
    if (row === column || !count) return make("td", { class: row === column ? "er-right" : "" }, row === labels.length && row === column ? "" : value);
    const button = make("button", { type: "button", title: `${heads[row]}, ${heads[column]}`,
      style: `--strength: ${Math.round(6 + 74 * Math.sqrt(count / most))}%` }, value);
    button.addEventListener("click", () => {
      const missing = kinds.findIndex(({ name }) => name === "missing");
      const [low, high] = [Math.min(row, column), Math.max(row, column)];
      choose(high === labels.length ? { label: String(low), kinds: new Set([missing]) } : { label: String(low), other: String(high) });
      byId("sentences-section").scrollIntoView({ behavior: "auto" });
    });
    return make("td", {}, button);
  };
  byId("matrix").append(make("table", { class: "er-matrix" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "label"), ...heads.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...heads.map((name, row) =>
      make("tr", {}, make("th", { scope: "row" }, name), ...heads.map((_, column) => cell(row, column)))))));

  byId("legend").append(...styles.map(({ kind, symbol, title, line }) => make("li", {},
    make("mark", { class: `sm-${kind}` }, title, make("span", { class: "sm-tag", "aria-hidden": "true" }, symbol)),
    make("span", { class: "sm-muted" }, ` ${line}`))));

  choose({});
  root.dataset.ready = "yes";
