  // what all reports share: text, colours, long lists, marked text, filters
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  // all texts of the corpus go through here: they become text and never markup
  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  };
  const amount = (value) => value.toLocaleString("en");
  const several = (number, noun) => `${amount(number)} ${noun}${number === 1 ? "" : "s"}`;

  // dark and light: the system's choice, until the button is pressed; paper is always light
  const root = document.documentElement, theme = byId("theme");
  const shade = (dark) => {
    root.classList.toggle("dark", dark);
    root.style.colorScheme = dark ? "dark" : "light";
    theme.textContent = dark ? "Light" : "Dark";
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  shade(system.matches);
  system.addEventListener("change", () => shade(system.matches));
  theme.addEventListener("click", () => shade(!root.classList.contains("dark")));
  let before = false;
  const whenPrinted = (text) => {
    addEventListener("beforeprint", () => {
      before = root.classList.contains("dark");
      shade(false);
      byId("printed").textContent = text();
    });
  };
  addEventListener("afterprint", () => shade(before));

  // a long list: the first items are drawn, and more as the reader scrolls down
  const listing = (list, more, draw) => {
    const STEP = 40;
    let items = [], shown = 0;
    const extend = () => {
      const next = items.slice(shown, shown + STEP);
      list.append(...next.map(draw));
      shown += next.length;
      more.hidden = shown >= items.length;
      more.textContent = `Show more (${amount(shown)} of ${amount(items.length)} are shown)`;
    };
    more.addEventListener("click", extend);
    new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && !more.hidden) extend();
    }, { rootMargin: "600px" }).observe(more);
    return {
      show: (numbers) => { items = numbers; shown = 0; list.replaceChildren(); extend(); },
      portion: () => (shown === items.length ? "all" : `the first ${amount(shown)} of`),
    };
  };

  // marks are ordered by start, the longer first: each holds those that begin in it; what crosses its end goes on after it
  const fill = (node, tokens, glue, marks, from, to, dress) => {
    let at = from, i = 0;
    const plain = (end) => {
      if (end > at) node.append((at > from ? glue : "") + tokens.slice(at, end).join(glue));
      at = Math.max(at, end);
    };
    while (i < marks.length) {
      const given = marks[i], [start, end] = given;
      const first = Math.max(start, at), last = Math.min(end, to);
      i += 1;
      if (first >= last) continue;
      plain(first);
      const inner = [], rest = [];
      for (; i < marks.length && marks[i][0] < last; i += 1) {
        inner.push(marks[i]);
        if (marks[i][1] > last) rest.push(Object.assign([last, ...marks[i].slice(1)], { goesOn: true }));
      }
      if (rest.length) {
        marks = [...rest, ...marks.slice(i)].sort((one, other) => one[0] - other[0] || other[1] - one[1]);
        i = 0;
      }
      if (at > from && glue) node.append(glue);
      const { kind, title, label, symbol, more, hit } = dress(given);
      const mark = make("mark", { class: `sm-${kind}${hit ? " er-hit" : ""}`, title });
      fill(mark, tokens, glue, inner, first, last, dress);
      mark.append(" ", make("span", { class: "sm-tag" }, make("span", { "aria-hidden": "true" }, `${given.goesOn ? "… " : ""}${symbol} `),
        label, make("span", { class: "sm-hidden" }, ` ${more}`)));
      node.append(mark);
      at = last;
    }
    plain(to);
  };

  // a field of text that waits until the reader pauses
  const typed = (field, change) => {
    let waiting = 0;
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change(field.value), 120);
    });
  };

  // a passage: where it stands, what it says in lower case, and a line of it with marks
  const textOf = (passage) => {
    const { units, name, line, document: place } = passage;
    return `${typeof units === "string" ? units : units.join(" ")}\n${name ?? `document ${place}`}\n${
      line === null ? "" : `line ${line}`}`.toLowerCase();
  };
  const lineOf = (side, { units, cut }, marks, dress, words) => {
    const text = make("span", { dir: "auto" });
    if (cut[0]) text.append("… ");
    fill(text, units, words ? " " : "", marks, 0, units.length, dress);
    if (cut[1]) text.append(" …");
    return make("div", { class: "sm-line" }, make("span", { class: "sm-side" }, side), text);
  };
