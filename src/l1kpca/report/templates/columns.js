// The columns: what is usual, who is to blame, and a map of the odd cells of the first rows.

const FIRST_COLUMNS = 12;
const STRONG = 10; // deviations: as dark as it gets

const NO_BIN = 0xff;
const charted = { // of the first rows, for each charted column: which bar the value is in, and its share of the blame
  columns: facts.trouble.columns.map((j) => facts.columns[j]),
  bins: unpacked(facts.trouble.bins, Uint8Array),
  blame: unpacked(facts.trouble.blame, Uint8Array),
};

// The blame and the bars of the flagged rows, the column most to blame first.
function overview() {
  const width = charted.columns.length;
  const count = Math.min(state.flagged, charted.bins.length / width);
  const found = charted.columns.map((column) => ({ column, blame: 0, counts: column.counts.map(() => 0) }));
  for (let k = 0; k < count * width; k++) {
    const one = found[k % width];
    one.blame += charted.blame[k];
    if (charted.bins[k] !== NO_BIN) one.counts[charted.bins[k]] += 1;
  }
  const all = found.reduce((sum, one) => sum + one.blame, 0) || 1;
  for (const one of found) one.blame /= all;
  return { count, found: found.sort((a, b) => b.blame - a.blame) };
}

function miniature(column, flagged) {
  const all = column.counts;
  const [width, up, down] = [168, 26, 14];
  const picture = svg("svg", { viewBox: "0 0 " + width + " " + (up + down + 2), width, height: up + down + 2, role: "img", class: "mini" });
  const step = width / all.length;
  const bars = (counts, tall, name, top) => {
    const most = Math.max(...counts, 1);
    counts.forEach((count, k) => {
      const long = count === 0 ? 0 : Math.max(1.5, (count / most) * tall);
      if (long) picture.append(svg("rect", { class: name, x: k * step, width: Math.max(1, step - 1), y: top ? tall - long : up + 2, height: long }));
    });
  };
  bars(all, up, "bar", true);
  bars(flagged, down, "bar beyond", false);
  picture.append(svg("line", { class: "axis", x1: 0, x2: width, y1: up + 1, y2: up + 1 }));
  const many = flagged.reduce((sum, count) => sum + count, 0);
  const what = column.levels ? "values " + column.levels.join(", ") : "a range from " + (column.ends ?? ["the first", "the last"]).join(" to ");
  picture.setAttribute("aria-label", "Histogram of " + column.name + " over " + what + "; " + counted(many) + " flagged rows below the axis");
  const title = svg("title");
  title.textContent = column.levels ? column.levels.map((level, k) => level + ": " + counted(all[k])).join(", ") :
    (column.ends ?? []).join(" to ") + (column.ends ? "; values beyond are in the outer bars" : "");
  picture.prepend(title);
  return picture;
}

function blameBar(share) {
  const bar = element("span");
  bar.style.width = 100 * share + "%";
  return element("span", { class: "push" }, element("span", { class: "track" }, bar), element("b", {}, percent(share)));
}

function columnRow({ column, blame, counts }) {
  const usual = column.usual + (column.share ? " (" + percent(column.share) + ")" : "");
  return element("tr", {}, element("th", { scope: "row" }, ...wrapping(column.name)), element("td", { class: "blame" }, blameBar(blame)),
    element("td", {}, usual), element("td", {}, miniature(column, counts)),
    element("td", { class: "number" }, column.missing > 0 ? percent(column.missing, column.missing < 0.01 ? 2 : 0) : "none"),
    element("td", {}, column.kind));
}

function showColumns() {
  const button = byId("more-columns");
  let most = FIRST_COLUMNS;
  const show = () => {
    const { count, found } = overview();
    byId("columns").tBodies[0].replaceChildren(...found.slice(0, most).map(columnRow));
    const which = count < state.flagged ? "the first " + counted(count) + " of the " + counted(state.flagged) : "the " + counted(count);
    byId("columns-hint").textContent = "Share of the blame: what a column adds to the scores of " + which +
      " flagged rows, on average. Each histogram has its own scale." +
      (charted.columns.length < facts.columns.length ? " Shown are the " + charted.columns.length + " columns most to blame." : "");
    button.hidden = found.length <= most;
  };
  button.textContent = "Show all " + counted(charted.columns.length) + " columns";
  button.addEventListener("click", () => {
    most = charted.columns.length;
    show();
  });
  listeners.push((what) => what === "cutoff" && show());
  show();
}

// A category is neither higher nor lower than another one.
function heatCell(residual, column) {
  const strength = Math.min(1, Math.abs(residual) / STRONG);
  const category = column.levels !== undefined;
  const cell = element("td", { class: residual > 0 || category ? "high" : "low" });
  if (strength > 0.2) {
    cell.style.setProperty("--strength", Math.round(100 * strength) + "%");
    cell.textContent = category ? "≠" : residual > 0 ? "+" : "−";
  }
  cell.title = column.name + ": " + (category ? Math.abs(residual) : (residual > 0 ? "+" : "") + residual) +
    " deviations from what the rest of the row suggests";
  return cell;
}

function showHeat() {
  const { columns, residual } = facts.heat;
  if (residual.length === 0) return byId("heat").remove();
  const shownColumns = columns.map((j) => facts.columns[j]);
  const names = shownColumns.map((column) => column.name);
  const head = element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col", title: name }, element("span", {}, name))));
  const lines = residual.map((line, place) => {
    const button = element("button", { type: "button" }, idOf(place) ?? "row " + rows.number[place]);
    button.addEventListener("click", () => {
      select(place);
      byId("detail").scrollIntoView();
    });
    return element("tr", {}, element("th", { scope: "row" }, button), ...line.map((value, k) => heatCell(value, shownColumns[k])));
  });
  byId("heat-body").append(element("table", { class: "heat", "aria-label": "Odd cells of the first " + residual.length + " rows" },
    element("thead", {}, head), element("tbody", {}, ...lines)));
  byId("heat-legend").append(
    element("span", {}, element("i", { class: "swatch high" }, "+"), "higher than the rest of the row suggests"),
    element("span", {}, element("i", { class: "swatch low" }, "−"), "lower"),
    shownColumns.some((column) => column.levels !== undefined)
      ? element("span", {}, element("i", { class: "swatch high" }, "≠"), "another category than the rest suggests") : "",
    element("span", {}, "The stronger the color, the odder the cell."),
    element("span", {}, "The first " + residual.length + " rows and the " + names.length + " columns most to blame."));
}
