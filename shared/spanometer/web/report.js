  const { kinds, labels, strings, passages, systems, words, noun } = data;
  const several_systems = systems.length > 1;
  const NO_LABEL = -1, SHAPES = ["", "same", "shorter", "longer", "shifted"], MARKS = ["split", "merged", "nested"];
  const BOUNDARIES = [...SHAPES.slice(2), ...MARKS], CHANGES = ["fixed", "new", "both"];
  const kindOf = new Map(kinds.map(({ name }, code) => [name, code]));
  const titleOf = (code) => kinds[code].title;
  const [MISSING, SPURIOUS] = ["missing", "spurious"].map((name) => titleOf(kindOf.get(name)));

  // errors are columns of codes, in the order of their passages; codes below 80 are characters
  const decoded = (text) => Int8Array.from(text, (sign) => sign.charCodeAt(0) - 48);
  systems.forEach((system, number) => {
    system.number = number;
    system.bit = 2 ** number;
    system.kind = decoded(system.kind);
    const shape = decoded(system.shape);
    system.boundaries = Array.from(shape, (code) =>
      [SHAPES[code % 5], ...MARKS.filter((_, bit) => (code / 5) & (1 << bit))].filter((name) => name && name !== "same"));
    system.size = system.kind.length;
    system.first = [0];
    system.passage = new Int32Array(system.size).fill(-1);
    system.amounts.forEach((size, passage) => {
      const first = system.first[passage];
      system.passage.fill(passage, first, first + size);
      system.first.push(first + size);
    });
    for (const bucket of system.buckets) bucket.codes = decoded(bucket.codes);
  });
  const every = systems.reduce((sum, { bit }) => sum + bit, 0);
  const makes = (system, error, other) => !system.who || Math.floor(system.who[error] / other.bit) % 2 === 1;
  // passages where the systems differ
  const differs = new Uint8Array(passages.document.length);
  if (several_systems) for (const system of systems)
    system.who.forEach((who, error) => { if (who !== every && system.passage[error] >= 0) differs[system.passage[error]] = 1; });

  const passageOf = (number) => ({
    units: passages.text[number], document: passages.document[number], name: passages.name?.[number] ?? null,
    line: passages.line?.[number] ?? null, cut: [passages.cut[number] & 1, passages.cut[number] & 2],
  });
  const unitsOf = (text) => (words ? (typeof text === "string" ? text.split(" ") : text) : Array.from(text));
  const texts = [];
  const searched = (number) => (texts[number] ??= textOf(passageOf(number)));
  const lineOfError = (system, error) => system.line?.[error] ?? null;
  const labelOf = (code, none) => (code === NO_LABEL ? none : labels[code]);

  // what is chosen, as in the fragment of the address: a link shows the same errors
  const ALL = -1;
  const NOTHING = { system: passages.cost && several_systems ? ALL : systems.length - 1, other: 0, change: "", kind: [], boundary: [], reference: null,
    predicted: null, by: "", bucket: "", mention: null, search: "", order: "" };
  let chosen = { ...NOTHING };
  const parse = (fragment) => {
    const given = new URLSearchParams(fragment.replace(/^#/, "")), state = { ...NOTHING };
    const system = (key) => systems.findIndex(({ name }) => name === given.get(key));
    for (const key of ["system", "other"]) if (system(key) >= 0) state[key] = system(key);
    if (given.get("system") === "" && several_systems) state.system = ALL;
    if (state.other === state.system) state.other = several_systems && !state.system ? 1 : 0;
    state.kind = (given.get("kind") ?? "").split(",").filter((name) => kindOf.get(name));
    state.boundary = (given.get("boundary") ?? "").split(",").filter((name) => BOUNDARIES.includes(name));
    if (several_systems && CHANGES.includes(given.get("change"))) state.change = given.get("change");
    for (const key of ["reference", "predicted"]) {
      const label = given.get(key);
      if (label === "") state[key] = NO_LABEL;
      else if (labels.includes(label)) state[key] = labels.indexOf(label);
    }
    for (const key of ["by", "bucket", "search", "order"]) state[key] = given.get(key) ?? "";
    state.mention = given.get("mention");
    return state;
  };
  const written = (state) => {
    const parts = new URLSearchParams();
    if (several_systems) parts.set("system", systems[state.system]?.name ?? "");
    if (several_systems && (state.change || systems.length > 2)) parts.set("other", systems[state.other].name);
    for (const key of ["kind", "boundary"]) if (state[key].length) parts.set(key, state[key].join(","));
    for (const key of ["reference", "predicted"])
      if (state[key] !== null) parts.set(key, state[key] === NO_LABEL ? "" : labels[state[key]]);
    if (state.mention !== null) parts.set("mention", state.mention);
    for (const key of ["change", "by", "bucket", "search", "order"]) if (state[key]) parts.set(key, state[key]);
    return parts.toString();
  };

  // the errors that fit all filters, and for each filter those that fit all others
  let result = {};
  const search = () => {
    const current = systems[chosen.system], other = systems[chosen.other];
    const wanted = chosen.search.trim().toLowerCase();
    const kind = new Set(chosen.kind.map((name) => kindOf.get(name))), boundary = new Set(chosen.boundary);
    const mention = chosen.mention === null ? null : strings.indexOf(chosen.mention);
    const tally = { kind: new Map(), boundary: new Map(), pair: new Map(), reference: new Map(), predicted: new Map(),
      bucket: new Map(), mention: new Map(), change: new Map() };
    const add = (name, value) => tally[name].set(value, (tally[name].get(value) ?? 0) + 1);
    const hits = [], wantedChange = chosen.change ? [chosen.change] : ["new", "both"];
    for (const system of current ? (several_systems ? [current, other] : [current]) : systems) {
      const bucket = system.buckets.find(({ by }) => by === chosen.by);
      const code = bucket ? bucket.names.indexOf(chosen.bucket) : -1;
      for (let error = 0; error < system.size; error += 1) {
        const change = !current || system === current ? (current && several_systems && makes(system, error, other) ? "both" : "new") : "fixed";
        if (change === "fixed" && makes(system, error, current)) continue;
        const failed = [];
        if (!wantedChange.includes(change)) failed.push("change");
        if (kind.size && !kind.has(system.kind[error])) failed.push("kind");
        if (boundary.size && !system.boundaries[error].some((name) => boundary.has(name))) failed.push("boundary");
        if (chosen.by && (!bucket || bucket.codes[error] !== code)) failed.push("bucket");
        if (mention !== null && system.string[error] !== mention) failed.push("mention");
        if (wanted && !(system.passage[error] >= 0 && searched(system.passage[error]).includes(wanted))) failed.push("search");
        const reference = chosen.reference === null || system.reference[error] === chosen.reference;
        const predicted = chosen.predicted === null || system.predicted[error] === chosen.predicted;
        const fits = reference && predicted, [only] = failed;
        if (failed.length > 1 || (failed.length && !fits)) continue;
        const free = (name) => fits && (!failed.length || only === name);
        if (free("kind")) add("kind", system.kind[error]);
        if (free("boundary")) for (const name of system.boundaries[error]) add("boundary", name);
        if (free("change")) add("change", change);
        if (free("mention") && system.string) add("mention", system.string[error]);
        if (free("bucket")) for (const { by, names, codes } of system.buckets)
          if (codes[error] >= 0) add("bucket", `${by}\n${names[codes[error]]}`);
        if (!failed.length) {
          add("pair", `${system.reference[error]} ${system.predicted[error]}`);
          if (predicted) add("reference", system.reference[error]);
          if (reference) add("predicted", system.predicted[error]);
          if (fits) hits.push([system, error]);
        }
      }
    }
    const marked = new Map(), best = new Map(), times = tally.mention;
    let shown = 0;
    for (const [system, error] of hits) {
      const passage = system.passage[error];
      if (passage < 0) continue;
      shown += 1;
      if (!marked.has(passage)) marked.set(passage, new Set());
      marked.get(passage).add(`${system.number} ${error}`);
      best.set(passage, Math.max(best.get(passage) ?? 0, times.get(system.string?.[error]) ?? 0));
    }
    const order = chosen.order || (passages.cost ? "cost" : several_systems ? "differences" : "text");
    const rank = { text: () => 0, times: (number) => best.get(number), differences: (number) => differs[number],
      cost: (number) => passages.cost[number] }[order] ?? (() => 0);
    const found = [...marked.keys()].sort((a, b) => rank(b) - rank(a) || a - b);
    result = { hits, marked, tally, found, shown, order };
  };

  // a sentence: the reference and all systems, one below the other
  const marksOf = (system, passage, marked) => {
    const flat = system.marks[passage], marks = [];
    for (let at = 0; at < flat.length; at += 3) {
      const code = flat[at + 2], error = code < 0 ? -code - 1 : -1;
      const kind = error < 0 ? 0 : system.kind[error];
      const label = error < 0 ? code : system.predicted[error] === NO_LABEL ? system.reference[error] : system.predicted[error];
      marks.push([flat[at], flat[at] + flat[at + 1], label, kind, marked?.has(`${system.number} ${error}`)]);
    }
    return marks;
  };
  const dress = ([, , label, kind, hit]) => {
    const { name, title, symbol } = kind === NO_LABEL ? data.own : kinds[kind];
    return { kind: name, title: `${labels[label]}: ${title}`, label: labels[label], symbol, more: title, hit };
  };
  const sentence = (number) => {
    const passage = passageOf(number), marked = result.marked.get(number), lines = new Set(), names = new Set();
    passage.units = unitsOf(passage.units);
    for (const key of marked) {
      const [system, error] = key.split(" ").map(Number);
      lines.add(lineOfError(systems[system], error));
      names.add(titleOf(systems[system].kind[error]));
    }
    lines.delete(null);
    const where = [passage.name ?? `document ${passage.document}`,
      ...(lines.size ? [`line ${[...lines].sort((a, b) => a - b).join(", ")}`] : [])].join(", ");
    const flat = data.marks[number], own = [];
    for (let at = 0; at < flat.length; at += 3) own.push([flat[at], flat[at] + flat[at + 1], flat[at + 2], NO_LABEL]);
    return make("article", { class: "sm-pair", "aria-label": where, tabindex: -1, "data-passage": number },
      make("p", { class: "er-place" }, make("b", {}, where), ` · ${[...names].join(", ")}`),
      lineOf(data.reference, passage, own, dress, words),
      ...systems.map((system) => lineOf(several_systems && system.number === chosen.system ? make("b", {}, system.name) : system.name,
        passage, marksOf(system, number, marked), dress, words)));
  };
  const list = listing(byId("sentences"), byId("more"), sentence);

  // the filters: groups of buttons with one tab stop, and lists; each choice has its count
  const roving = (group) => {
    const items = () => [...group.querySelectorAll("button")].filter((item) => !item.hidden);
    const stop = (item) => items().forEach((each) => { each.tabIndex = each === item ? 0 : -1; });
    group.addEventListener("focusin", (event) => { if (event.target.closest("button")) stop(event.target.closest("button")); });
    group.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const all = items(), at = all.indexOf(document.activeElement);
      const next = step ? all[(at + step + all.length) % all.length] : { Home: all[0], End: all.at(-1) }[event.key];
      if (!next || at < 0) return;
      event.preventDefault();
      next.focus();
    });
    return () => { const all = items(); if (!all.some((item) => item.tabIndex === 0)) stop(all[0]); };
  };
  const settle = [];
  const group = (id, names, make_, press) => {
    const place = byId(id), buttons = names.map((name, code) => {
      const button = make_(name, code);
      button.type = "button";
      button.tabIndex = code ? -1 : 0;
      button.addEventListener("click", () => press(name, code));
      return button;
    });
    place.append(...buttons);
    settle.push(roving(place));
    return buttons;
  };
  const toggled = (key, name) => go({ [key]: chosen[key].includes(name) ? chosen[key].filter((each) => each !== name) : [...chosen[key], name] });
  const counting = (title, symbol = "") => [symbol && make("span", { "aria-hidden": "true" }, `${symbol} `), `${title} `, make("b")].filter(Boolean);
  const everyone = { name: "all", number: ALL, size: systems.reduce((sum, { size }) => sum + size, 0) };
  const sides = several_systems ? [everyone, ...systems] : systems;
  const systemButtons = group("systems", sides, ({ name }) => make("button", { class: "er-button" }, ...counting(name)), ({ number }) => {
    const other = number !== chosen.other ? chosen.other : chosen.system === ALL ? (number ? 0 : 1) : chosen.system;
    go({ system: number, other, change: number === ALL ? "" : chosen.change });
  });
  const kindButtons = group("kinds", kinds.slice(1), ({ name, title, symbol }) =>
    make("button", { class: `er-kind sm-${name}` }, ...counting(title, symbol)), ({ name }) => toggled("kind", name));
  const boundaryButtons = group("boundaries", BOUNDARIES, (name) => make("button", { class: "er-button" }, ...counting(name)),
    (name) => toggled("boundary", name));
  const changeButtons = group("changes", CHANGES, (name) => make("button", { class: "er-button" },
    ...counting(data.changes[name])), (name) => go({ change: chosen.change === name ? "" : name }));
  for (const node of document.querySelectorAll(".er-several")) node.hidden = !several_systems;
  const press = (button, pressed, count) => {
    button.setAttribute("aria-pressed", pressed);
    button.querySelector("b").textContent = amount(count);
  };
  const fillList = (id, options, value) => {
    byId(id).replaceChildren(make("option", { value: "*" }, "any"), ...options);
    byId(id).value = value;
  };
  const option = (value, text, count) => make("option", { value }, `${text} (${amount(count)})`);
  const listedStrings = () => [...result.tally.mention].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const drawFilters = () => {
    const { tally } = result;
    systemButtons.forEach((button, place) => press(button, sides[place].number === chosen.system, sides[place].size));
    byId("changes").hidden = byId("other").hidden = byId("changes-name").hidden = chosen.system === ALL;
    kindButtons.forEach((button, place) => press(button, chosen.kind.includes(kinds[place + 1].name), tally.kind.get(place + 1) ?? 0));
    boundaryButtons.forEach((button, place) => press(button, chosen.boundary.includes(BOUNDARIES[place]), tally.boundary.get(BOUNDARIES[place]) ?? 0));
    changeButtons.forEach((button, place) => press(button, chosen.change === CHANGES[place], tally.change.get(CHANGES[place]) ?? 0));
    for (const [key, none] of [["reference", `none (${SPURIOUS})`], ["predicted", `none (${MISSING})`]])
      fillList(key, [...labels.keys(), NO_LABEL].filter((code) => tally[key].get(code) || chosen[key] === code)
        .map((code) => option(code, labelOf(code, none), tally[key].get(code) ?? 0)), chosen[key] ?? "*");
    const current = systems[Math.max(chosen.system, 0)];
    fillList("bucket", current.buckets.map(({ by, names }) => make("optgroup", { label: by }, ...names.map((name) =>
      option(`${by}\n${name}`, name, tally.bucket.get(`${by}\n${name}`) ?? 0)))), chosen.by ? `${chosen.by}\n${chosen.bucket}` : "*");
    const often = listedStrings().slice(0, 30), own = strings.indexOf(chosen.mention);
    if (chosen.mention !== null && !often.some(([code]) => code === own)) often.unshift([own, tally.mention.get(own) ?? 0]);
    fillList("mention", often.map(([code, count]) => option(`=${strings[code] ?? chosen.mention}`, strings[code] ?? chosen.mention, count)),
      chosen.mention === null ? "*" : `=${chosen.mention}`);
    byId("mention-field").hidden = !strings.length;
    const others = systems.filter(({ number }) => number !== chosen.system);
    byId("other").replaceChildren(...others.map(({ name, number }) => make("option", { value: number }, name)));
    byId("other").value = chosen.other;
    byId("order").value = result.order;
    if (document.activeElement !== byId("search")) byId("search").value = chosen.search;
    settle.forEach((stop) => stop());
  };
  const orders = [["text", "position in the text"], ...(strings.length ? [["times", "most frequent strings"]] : []),
    ...(several_systems ? [["differences", "differences between systems"]] : []), ...(passages.cost ? [["cost", "highest cost"]] : [])];
  byId("order").append(...orders.map(([value, text]) => make("option", { value }, text)));
  const changed = (id, change) => byId(id).addEventListener("change", (event) => go(change(event.target.value)));
  for (const key of ["reference", "predicted"]) changed(key, (value) => ({ [key]: value === "*" ? null : Number(value) }));
  changed("bucket", (value) => { const [by, bucket] = value === "*" ? ["", ""] : value.split("\n"); return { by, bucket }; });
  changed("mention", (value) => ({ mention: value === "*" ? null : value.slice(1) }));
  changed("other", (value) => ({ other: Number(value) }));
  changed("order", (value) => ({ order: value }));
  typed(byId("search"), (text) => go({ search: text }));
  byId("clear").addEventListener("click", () => go({ ...NOTHING, system: chosen.system, other: chosen.other }));

  // tables: cells are links that filter, and each table leaves as CSV
  const linked = (changes, text) => make("a", { href: `#${written({ ...chosen, ...changes })}` }, text);
  const table = (heads, rows, className = "") => make("table", { class: className },
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows.map(([first, ...cells]) => make("tr", {}, make("th", { scope: "row" }, first), ...cells.map((cell) => make("td", {}, cell))))));
  const MOST = 50;
  const drawing = {
    matrix: () => {
      const cells = result.tally.pair, codes = [...labels.keys(), NO_LABEL];
      const most = Math.max(1, ...cells.values());
      const at = (row, column) => {
        const count = cells.get(`${row} ${column}`);
        if (!count) return "·";
        const link = linked({ reference: row, predicted: column }, amount(count));
        link.style.setProperty("--strength", `${Math.round(6 + 44 * Math.sqrt(count / most))}%`);
        link.title = `${labelOf(row, SPURIOUS)} → ${labelOf(column, MISSING)}`;
        return link;
      };
      return table([`${data.reference} ↓ ${data.predicted} →`, ...codes.map((code) => labelOf(code, MISSING))],
        codes.map((row) => [labelOf(row, SPURIOUS), ...codes.map((column) => at(row, column))]), "er-matrix");
    },
    strings: (most = MOST) => {
      const often = listedStrings(), pairs = new Map();
      for (const [system, error] of result.hits) {
        const code = system.string?.[error];
        if (!pairs.has(code)) pairs.set(code, new Map());
        const text = `${labelOf(system.reference[error], SPURIOUS)} → ${labelOf(system.predicted[error], MISSING)}`;
        pairs.get(code).set(text, (pairs.get(code).get(text) ?? 0) + 1);
      }
      const rows = often.slice(0, most).map(([code, count]) => [make("bdi", {}, strings[code]), linked({ mention: strings[code] }, amount(count)),
        [...(pairs.get(code) ?? [])].map(([text, times]) => (times > 1 ? `${text} (${times})` : text)).join("; ")]);
      return make("div", {}, ...(often.length > most ? [make("p", { class: "sm-muted" }, `The first ${MOST} of ${amount(often.length)}.`)] : []),
        table(["string", `${data.error}s`, `${data.reference} → ${data.predicted}`], rows, "er-strings"));
    },
    buckets: () => make("div", { class: "er-buckets" }, ...systems[Math.max(chosen.system, 0)].buckets.map(({ by, names, scores, key }) =>
      make("div", {}, make("h3", {}, by), table(["", key, data.reference, `${data.error}s`], names.map((name, code) => {
        const [score, low, high, size, text] = scores[code];
        const range = make("span", { class: "er-range", "aria-hidden": "true", style: `--low:${low};--high:${high};--value:${score}` }, make("i"), make("b"));
        const count = result.tally.bucket.get(`${by}\n${name}`);
        return [name, score === null ? "·" : make("span", {}, range, ` ${text}`), amount(size), count ? linked({ by, bucket: name }, amount(count)) : "·"];
      }))))),
  };
  const drawTables = () => {
    for (const [id, draw] of Object.entries(drawing))
      if (byId(`${id}-table`)?.open) byId(id).replaceChildren(draw());
  };
  for (const id of Object.keys(drawing)) byId(`${id}-table`)?.addEventListener("toggle", drawTables);
  if (!strings.length) byId("strings-table").hidden = true;

  const save = (name, text, type) => {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const quoted = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const toCsv = (rows) => rows.map((row) => row.map((value) => quoted(String(value ?? ""))).join(",")).join("\n") + "\n";
  for (const details of document.querySelectorAll("details.er-table")) {
    const button = make("button", { type: "button", class: "er-button" }, "CSV");
    button.addEventListener("click", () => {
      const whole = drawing[details.id.replace("-table", "")]?.(Infinity) ?? details;
      save(`${details.dataset.name}.csv`, toCsv([...whole.querySelectorAll("tr")].map((row) =>
        [...row.cells].map((cell) => cell.textContent.trim().replace("·", "")))), "text/csv");
    });
    details.querySelector("summary").after(button);
  }
  const [SYSTEM, PREDICTED_LABEL, REFERENCE_LABEL] = data.columns;
  const record = ([system, error]) => {
    const number = system.passage[error], text = number < 0 ? null : passages.text[number];
    return { [SYSTEM]: system.name, document: number < 0 ? null : passages.document[number], name: passages.name?.[number] ?? null,
      line: lineOfError(system, error), kind: kinds[system.kind[error]].title, boundary: system.boundaries[error].join(" "),
      [REFERENCE_LABEL]: labelOf(system.reference[error], null), [PREDICTED_LABEL]: labelOf(system.predicted[error], null),
      mention: strings[system.string?.[error]] ?? null, text: Array.isArray(text) ? text.join(" ") : text };
  };
  byId("csv").addEventListener("click", () => {
    const rows = result.hits.map(record);
    save(`${data.error}s.csv`, toCsv([Object.keys(record(result.hits[0] ?? [systems[0], 0])), ...rows.map(Object.values)]), "text/csv");
  });
  byId("jsonl").addEventListener("click", () =>
    save(`${data.error}s.jsonl`, result.hits.map((hit) => `${JSON.stringify(record(hit))}\n`).join(""), "application/jsonl"));

  // from the address to the page, and back
  const draw = () => {
    search();
    const { hits, shown, found } = result;
    byId("found").textContent = `${several(hits.length, data.error)} in ${several(found.length, noun)}` +
      (shown < hits.length ? `; ${amount(shown)} of ${amount(hits.length)} shown.` : ".");
    const filters = Object.keys(NOTHING).filter((key) => !["system", "other", "order", "bucket"].includes(key) &&
      String(chosen[key] ?? "") !== String(NOTHING[key] ?? ""));
    byId("open").textContent = `Filters${filters.length ? ` (${filters.length})` : ""}`;
    if (byId("command")) byId("command").textContent = `spanometer errors … --to label_studio -o fix.json --view "${written({ ...chosen, order: "", by: "", bucket: "", search: "" })}"`;
    list.show(found);
    drawFilters();
    drawTables();
  };
  const go = (changes) => {
    chosen = { ...chosen, ...changes };
    // a report in the frame of a page has no address of its own
    try { history.replaceState(null, "", `#${written(chosen)}`); } catch { /* it works without */ }
    draw();
  };
  const follow = (fragment) => { chosen = parse(fragment); draw(); };
  addEventListener("hashchange", () => follow(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    const text = link.getAttribute("href");
    try { history.pushState(null, "", text); } catch { /* it works without */ }
    follow(text);
    byId("sentences-section").scrollIntoView({ behavior: "auto" });
  });
  addEventListener("popstate", () => follow(location.hash));
  whenPrinted(() => `Printed: ${list.portion()} ${several(result.found.length, noun)} with the selected ${data.error}s.`);

  // the drawer of narrow screens, and the keys
  const panel = byId("panel"), help = byId("help");
  const drawer = (open) => {
    panel.classList.toggle("er-open", open);
    byId("open").setAttribute("aria-expanded", open);
    (open ? byId("close") : byId("open")).focus();
  };
  byId("open").addEventListener("click", () => drawer(true));
  byId("close").addEventListener("click", () => drawer(false));
  const move = (step) => {
    const cards = [...byId("sentences").children], at = cards.indexOf(document.activeElement?.closest?.("article"));
    if (at + step >= cards.length && !byId("more").hidden) byId("more").click();
    const next = byId("sentences").children[Math.max(at + step, 0)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  const KEYS = { j: () => move(1), k: () => move(-1), "/": () => { if (getComputedStyle(panel).display === "none") drawer(true); byId("search").focus(); }, "?": () => help.showModal() };
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.classList.contains("er-open")) drawer(false);
    if (event.key === "Escape" && event.target === byId("search")) byId("sentences").querySelector("article")?.focus();
    if (event.ctrlKey || event.metaKey || event.altKey || help.open || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (KEYS[event.key]) { event.preventDefault(); KEYS[event.key](); }
  });
  byId("help-button").addEventListener("click", () => help.showModal());

  byId("legend").append(...[...kinds, data.own].map(({ name, title, symbol, help: line }) => make("li", {},
    make("mark", { class: `sm-${name}` }, title, make("span", { class: "sm-tag", "aria-hidden": "true" }, symbol)),
    make("span", { class: "sm-muted" }, ` ${line}`))));
  follow(location.hash);
  root.dataset.ready = "yes";
