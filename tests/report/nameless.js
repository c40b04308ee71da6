// Elements without a name for a screen reader.
const labeled = (e) => document.getElementById(e.getAttribute("aria-labelledby"))?.textContent;
const name = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.title || labeled(e) ||
  (e.labels && [...e.labels].map((label) => label.textContent).join(""));
const kinds = "button, input, select, a, summary, section, table[id], [role=img], [role=region]";
return [...document.querySelectorAll(kinds)].filter((e) => !e.hidden && !name(e)).map((e) => e.outerHTML);
