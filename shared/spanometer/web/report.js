  const { kinds } = data;
  let labels, passages, errors, ofPassage, current;

  // an error: kind, label of the reference (-1: none), predicted label (-1: none), passage, times its string is wrong
  const KIND = 0, REFERENCE = 1, PREDICTED = 2, PASSAGE = 3, TIMES = 4;
  // what is chosen
  const chosen = { kinds: new Set(), label: "", predicted: "", order: "text", search: "" };
  const fits = (error) =>
    (chosen.kinds.size === 0 || chosen.kinds.has(error[KIND])) &&
    (chosen.label === "" || error[REFERENCE] === Number(chosen.label)) &&
    (chosen.predicted === "" || error[PREDICTED] === Number(chosen.predicted));

  let matches = [], hits = new Set();

  const search = () => {
    const wanted = chosen.search.trim().toLowerCase();
    hits = new Set();
    const best = new Map();
    errors.forEach((error, number) => {
      const passage = error[PASSAGE];
      if (!fits(error) || (wanted && !textOf(passages[passage]).includes(wanted))) return;
      hits.add(number);
      best.set(passage, Math.max(best.get(passage) ?? 0, error[TIMES]));
    });
    matches = [...best.keys()].sort((a, b) => a - b);
    if (chosen.order === "times") matches.sort((a, b) => best.get(b) - best.get(a) || a - b);
    byId("found").textContent =
      `${several(hits.size, "error")} in ${several(matches.length, current.noun)}` +
      (current.total > errors.length ? ` of the ${amount(errors.length)} errors in this report` : "") + ".";
    list.show(matches);
  };

  const sentence = (number) => {
    const passage = passages[number], where = whereIs(passage);
    const names = [...new Set(ofPassage[number].map((error) => kinds[errors[error][KIND]].title))].join(", ");
    return make("article", { class: "sm-pair", "aria-label": where },
      make("p", { class: "er-place" }, make("b", {}, where), ` · ${names}`),
      ...data.sides.map((side, place) => lineOf(side, passage, passage.sides[place], dress)));
  };

  const list = listing(byId("sentences"), byId("more"), sentence);
  whenPrinted(() =>
    `Printed: ${list.portion()} ${several(matches.length, current.noun)} with the errors that were chosen.`);
  const dress = ([, , label, kind, error]) => {
    const { name, title, symbol } = kinds[kind];
    return { kind: name, title: `${labels[label]}: ${title}`, label: labels[label], symbol, more: title,
      hit: error >= 0 && hits.has(error) };
  };

  // the filters
  const buttons = kinds.map(({ title, symbol, name }, kind) => {
    if (kind === 0) return null;
    const button = make("button", { type: "button", class: `er-kind sm-${name}`, "aria-pressed": "false" },
      make("span", { "aria-hidden": "true" }, `${symbol} `), `${title} `, make("b"));
    button.addEventListener("click", () => {
      if (!chosen.kinds.delete(kind)) chosen.kinds.add(kind);
      refresh();
    });
    return button;
  });
  byId("kinds").append(...buttons.filter(Boolean));
  const options = (none) => [
    make("option", { value: "" }, "any"), ...labels.map((label, code) => make("option", { value: code }, label)),
    make("option", { value: -1 }, none)];
  for (const name of ["label", "predicted", "order"])
    byId(name).addEventListener("change", (event) => { chosen[name] = event.target.value; refresh(); });
  typed(byId("search"), (text) => { chosen.search = text; search(); });
  const choose = (changes) => {
    Object.assign(chosen, { kinds: new Set(), label: "", predicted: "", search: "" }, changes);
    refresh();
  };
  byId("clear").addEventListener("click", () => choose({}));
  const refresh = () => {
    buttons.forEach((button, kind) => button?.setAttribute("aria-pressed", chosen.kinds.has(kind)));
    for (const name of ["label", "predicted", "order", "search"]) byId(name).value = chosen[name];
    search();
  };
  const show = (changes) => {
    choose(changes);
    byId("sentences-section").scrollIntoView({ behavior: "auto" });
  };

  // the confusion matrix: cells are [label of the reference, predicted label, pairs with the same boundaries, others]
  const layers = ["all spans", "pairs with the same boundaries", "pairs with other boundaries"];
  let layer = 0;
  const count = (row, column, same, other) =>
    layer === 0 ? same + other : row < 0 || column < 0 ? 0 : [same, other][layer - 1];
  const drawMatrix = () => {
    const cells = new Map(current.matrix.map(([row, column, same, other]) => [`${row} ${column}`, count(row, column, same, other)]));
    // pairs with the same label and boundaries are right: on the diagonal only other boundaries are errors
    const errorsIn = new Map(current.matrix.map(([row, column, same, other]) =>
      [`${row} ${column}`, count(row, column, row === column ? 0 : same, other)]));
    const most = Math.max(1, ...errorsIn.values());
    const codes = [...labels.keys(), -1];
    const head = make("tr", {}, make("th", { scope: "col" }, "reference ↓ predicted →"),
      ...codes.map((code) => make("th", { scope: "col" }, code < 0 ? "missing" : labels[code])));
    const rows = codes.map((row) => make("tr", {}, make("th", { scope: "row" }, row < 0 ? "spurious" : labels[row]),
      ...codes.map((column) => {
        const value = cells.get(`${row} ${column}`) ?? 0;
        if (row < 0 && column < 0) return make("td", {});
        const right = row === column;
        const cell = make("td", { class: right ? "er-right" : "" });
        if (!value) { cell.append("·"); return cell; }
        const wrong = errorsIn.get(`${row} ${column}`);
        if (!wrong) { cell.append(amount(value)); return cell; }
        const button = make("button", { type: "button", style: `--strength: ${Math.round(6 + 74 * Math.sqrt(wrong / most))}%`,
          title: `${row < 0 ? "spurious" : labels[row]} → ${column < 0 ? "missing" : labels[column]}` }, amount(value));
        const own = [[], ["wrong_label"], ["wrong_boundary", "wrong_label_and_boundary"]][layer];
        button.addEventListener("click", () => show({ label: String(row), predicted: String(column),
          kinds: new Set(own.map((name) => kinds.findIndex((kind) => kind.name === name))) }));
        cell.append(button);
        return cell;
      })));
    byId("matrix").replaceChildren(make("table", { class: "er-matrix" }, make("thead", {}, head), make("tbody", {}, ...rows)));
    for (const [place, button] of [...byId("layers").children].entries())
      button.setAttribute("aria-pressed", place === layer);
  };
  byId("layers").append(...layers.map((name, place) => {
    const button = make("button", { type: "button", class: "er-button" }, name);
    button.addEventListener("click", () => { layer = place; drawMatrix(); });
    return button;
  }));

  // the strings that are most often wrong
  const drawStrings = () => byId("strings").replaceChildren(
    make("thead", {}, make("tr", { class: "sm-text" }, ...["string", "errors", "reference → prediction"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...current.strings.map(([text, times, as]) => {
      const button = make("button", { type: "button", class: "er-link", dir: "auto" }, text);
      button.addEventListener("click", () => show({ search: text }));
      return make("tr", {}, make("th", { scope: "row" }, button), make("td", {}, amount(times)), make("td", { class: "er-as" }, as));
    })));

  byId("legend").append(...kinds.map(({ name, title, symbol, help }) => make("li", {},
    make("mark", { class: `sm-${name}` }, title, make("span", { class: "sm-tag", "aria-hidden": "true" }, symbol)),
    make("span", { class: "sm-muted" }, ` ${help}`))));

  // one system at a time
  const parts = [...document.querySelectorAll(".er-system")];
  const tabs = data.systems.map(({ name }, number) => {
    const button = make("button", { type: "button", class: "er-button" }, name);
    button.addEventListener("click", () => open(number));
    return button;
  });
  byId("systems").hidden = tabs.length < 2;
  byId("systems").append(...tabs);
  const open = (number) => {
    current = data.systems[number];
    ({ labels, passages, errors } = current);
    ofPassage = passages.map(() => []);
    errors.forEach((error, place) => ofPassage[error[PASSAGE]].push(place));
    tabs.forEach((tab, place) => tab.setAttribute("aria-pressed", place === number));
    parts.forEach((part, place) => { part.hidden = place !== number; });
    buttons.forEach((button, kind) => { if (button) button.querySelector("b").textContent = amount(current.counts[kind]); });
    byId("label").replaceChildren(...options("none (spurious)"));
    byId("predicted").replaceChildren(...options("none (missing)"));
    const worded = current.strings.length > 0;
    byId("strings-section").hidden = !worded;
    byId("order").replaceChildren(make("option", { value: "text" }, "of the text"),
      ...(worded ? [make("option", { value: "times" }, "most frequent strings first")] : []));
    if (!worded) chosen.order = "text";
    drawStrings();
    drawMatrix();
    choose({});
  };
  open(0);
  root.dataset.ready = "yes";
