() => {
  // Gradio's radio buttons are strangers to each other: without this no arrow key moves between them, and no screen
  // reader says what they are about
  for (const group of document.querySelectorAll("fieldset")) {
    const title = group.querySelector("[data-testid=block-info]");
    if (!title) continue;
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", title.innerText);
    const join = () => {
      for (const radio of group.querySelectorAll("input[type=radio]"))
        if (radio.name !== group.id) radio.name = group.id;
    };
    join();
    // they are given new names when their value changes
    new MutationObserver(join).observe(group, { subtree: true, childList: true, attributeFilter: ["name"] });
  }
  // Gradio calls every picture a plot of provided data
  for (const chart of document.querySelectorAll(".sm-chart")) {
    const describe = () => {
      const picture = chart.querySelector("img"), label = chart.dataset.label ?? chart.innerText.trim();
      chart.dataset.label = label;
      if (picture && picture.alt !== label) picture.alt = label;
    };
    describe();
    new MutationObserver(describe).observe(chart, { subtree: true, childList: true, attributeFilter: ["alt"] });
  }
  // a score is that of the texts that it names (see `answer.html`); above other texts it is greyed
  const results = document.querySelector("#results");
  const checksum = (text) => {
    let a = 1, b = 0;
    for (const byte of new TextEncoder().encode(text)) { a = (a + byte) % 65521; b = (b + a) % 65521; }
    return b * 65536 + a;
  };
  const compare = () => {
    const scored = results.querySelector("[data-texts]");
    // results of files belong to no box
    const boxes = (part) => part.dataset.boxes.split(" ").filter(Boolean);
    const sum = (box) => checksum(document.querySelector(`#${box} textarea`).value);
    const stale = Boolean(scored) && scored.dataset.texts !== boxes(scored).map(sum).join(" ");
    for (const part of [results, ...document.querySelectorAll(".sm-chart")]) part.classList.toggle("sm-stale", stale);
  };
  // a table that is wider than the page says so
  const measure = () => {
    for (const table of results.querySelectorAll(".sm-scroll"))
      table.previousElementSibling.hidden = table.scrollWidth <= table.clientWidth;
  };
  // the boxes have their new texts a moment after Gradio says so
  document.addEventListener("sm-changed", () => setTimeout(compare, 50));
  new MutationObserver(() => { compare(); measure(); }).observe(results, { subtree: true, childList: true });
  new ResizeObserver(measure).observe(results);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".sm-copy");
    if (!button) return;
    const code = button.parentElement.querySelector("code");
    getSelection().selectAllChildren(code);
    // without the right to write to the clipboard the selection is copied
    try { await navigator.clipboard.writeText(code.innerText); } catch { document.execCommand("copy"); }
    button.innerText = "Copied";
  });
  // on a phone the options are one touch away, and the results in sight
  if (innerWidth < 640) document.querySelector("#options button.label-wrap")?.click();
}
