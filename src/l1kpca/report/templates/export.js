// The flagged rows as a CSV file: what is listed of each, and its three main reasons.

function quoted(value) {
  let text = value === null || value === undefined ? "" : String(value);
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text)) text = "'" + text; // no formula of a spreadsheet
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

function exportLines() {
  const heads = ["rank", "row", ...(rows.id === null ? [] : ["id"]), "score", ...(rows.p === null ? [] : ["p_value"])];
  for (const k of [1, 2, 3]) heads.push("column_" + k, "value_" + k, "usual_" + k, "expected_" + k);
  const lines = [heads];
  for (let i = 0; i < Math.min(state.flagged, rows.count); i++) {
    const line = [i + 1, rows.number[i], ...(rows.id === null ? [] : [idOf(i)]), rows.score[i], ...(rows.p === null ? [] : [rows.p[i]])];
    for (const reason of (reasonsOf(i) ?? []).slice(0, 3)) {
      line.push(reason.column.name, reason.cell, reason.column.usual, reason.expected);
    }
    lines.push(line);
  }
  return lines.map((line) => line.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function showExport() {
  byId("export").addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob(["\ufeff", exportLines()], { type: "text/csv;charset=utf-8" }));
    const link = element("a", { href: address, download: "flagged_rows.csv" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  });
}
