// The first screen: the headline follows the line, and a kind of trouble lists its rows.

const chosenKind = { rows: null };

function exampleOf(kind) {
  const place = kind.rows[0];
  const reason = (reasonsOf(place) ?? []).find((one) => one.column.name === kind.column);
  const where = "For example " + nameOf(place);
  if (reason === undefined) return where + ".";
  return where + ": " + shown(reason.cell) + (reason.expected === null ? "" : ", expected about " + shown(reason.expected)) + ".";
}

function showHeadline() {
  byId("headline").textContent = counted(state.flagged) + " of " + counted(facts.n_rows) +
    (facts.n_rows === 1 ? " row looks wrong" : " rows look wrong");
}

function pickKind(button, kind) {
  const on = button.getAttribute("aria-pressed") !== "true";
  for (const other of document.querySelectorAll("[data-kind]")) other.setAttribute("aria-pressed", String(on && other === button));
  chosenKind.rows = on ? new Set(kind.rows) : null;
  arrange();
  if (on) select(kind.rows[0]);
  byId("ranking").scrollIntoView();
}

function showFirst() {
  for (const button of document.querySelectorAll("[data-kind]")) {
    const kind = facts.kinds[Number(button.dataset.kind)];
    button.querySelector(".hint").textContent = exampleOf(kind);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => pickKind(button, kind));
  }
  listeners.push((what) => what === "cutoff" && showHeadline());
}
