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
}
