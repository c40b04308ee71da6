// The most suspicious reference rows, which the reader knows better: the answers as a file.

const ANSWERS = [["ordinary", 0], ["outlier", 1], ["don’t know", -1]];
const answers = new Map();

function keepAnswers() {
  const lines = [...answers].map(([row, label]) => row + "," + label);
  const link = byId("answers");
  link.href = "data:text/csv;charset=utf-8," + encodeURIComponent(["row,label", ...lines, ""].join("\n"));
  link.hidden = answers.size === 0;
  const confirmed = [...answers.values()].filter((label) => label === 1).length;
  byId("answers-say").textContent = counted(answers.size) + " of " + counted(facts.suspects.length) +
    " rows answered, " + counted(confirmed) + " confirmed as outliers.";
}

function answerButton([word, label], row) {
  const button = element("button", { type: "button", "aria-pressed": "false" }, word);
  button.addEventListener("click", () => {
    for (const other of button.parentNode.children) other.setAttribute("aria-pressed", String(other === button));
    answers.set(row, label);
    keepAnswers();
  });
  return button;
}

function showReference() {
  if (facts.suspects.length === 0) return;
  byId("suspects").tBodies[0].append(...facts.suspects.map(({ row, score, why }) =>
    element("tr", {},
      element("td", { class: "number" }, counted(row)),
      element("td", { class: "number" }, rounded(score)),
      element("td", {}, why),
      element("td", { class: "answer" }, ...ANSWERS.map((answer) => answerButton(answer, row))))));
  keepAnswers();
}
