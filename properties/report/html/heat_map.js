// The error of one failing verdict by place: (head, dim) and (request, row).

// Each step of the scale is a factor of four in error / allowed error; from 1 on an element is bad.
const HEAT_LIMITS = [1 / 64, 1 / 16, 1 / 4, 1, 4, 16, 64];

function heat_step(value) {
  const number = number_of(value);
  if (Number.isNaN(number)) return HEAT_LIMITS.length;
  return HEAT_LIMITS.filter((limit) => number >= limit).length;
}

function heat_cell(step, place) {
  const cell = svg("rect", {class: "cell", ...place});
  // Within the allowed error the cells stay in a quiet colour: red means bad.
  const tone = step > 3 ? "var(--heat)" : "var(--series-5)";
  const strength = step > 3 ? 35 + (step - 4) * 21 : 6 + step * 11;
  cell.style.fill = `color-mix(in srgb, ${tone} ${Math.min(100, strength)}%, var(--surface))`;
  return cell;
}

// map: {rows: {name, size}, columns: {name, size}, cells: [[largest error / allowed error, or null where nothing was judged]]}.
// A cell stands for several places where the map has more of them than cells.
function place_text(axis, index, cells) {
  const from = Math.floor((index * axis.size) / cells), to = Math.max(from + 1, Math.floor(((index + 1) * axis.size) / cells)) - 1;
  return from === to ? `${axis.name} ${from}` : `${axis.name}s ${from} to ${to}`;
}

function heat_figure(map) {
  const rows = map.cells.length, columns = map.cells[0]?.length ?? 0;
  if (rows * columns < 2) return null;
  const flat = map.cells.flatMap((line, r) => line.map((value, c) => ({r, c, value}))).filter((cell) => cell.value !== null);
  const worst = flat.reduce((a, b) => (heat_key(b.value) > heat_key(a.value) ? b : a), flat[0]);
  const bad = flat.filter((cell) => !(number_of(cell.value) <= 1)).length;
  const draw = (width) => {
    const left = 34, top = 24, cell_width = Math.min(28, (width - left - 8) / columns), cell_height = Math.min(22, Math.max(7, 220 / rows));
    const height = top + rows * cell_height + 4;
    const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`});
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) {
        const value = map.cells[r][c];
        const place = {x: left + c * cell_width, y: top + r * cell_height, width: Math.max(1, cell_width - (cell_width > 5 ? 1 : 0)), height: Math.max(1, cell_height - 1)};
        const cell = value === null ? svg("rect", {class: "cell empty", ...place}) : heat_cell(heat_step(value), place);
        cell.append(svg("title", {text: `${place_text(map.rows, r, rows)}, ${place_text(map.columns, c, columns)}: ${value === null ? "not judged" : share_text(value)}`}));
        drawing.append(cell);
      }
    }
    const bottom = top + rows * cell_height, range = (axis) => (axis.size > 1 ? `${axis.name} 0 to ${axis.size - 1}` : `${axis.name} 0`);
    drawing.append(svg("text", {x: left - 8, y: top + Math.min(14, cell_height * 0.5 + 4), "text-anchor": "end", text: "0"}),
      rows > 1 ? svg("text", {x: left - 8, y: bottom - 3, "text-anchor": "end", text: String(map.rows.size - 1)}) : "",
      svg("text", {x: left, y: top - 10, text: `${range(map.rows)} down, ${range(map.columns)} across`}));
    return drawing;
  };
  const says = `Largest error as a share of what is allowed, in ${counted(flat.length, "cell")}: ${bad} above 100 %, most at ${place_text(map.rows, worst.r, rows)}, ${place_text(map.columns, worst.c, columns)} (${share_text(worst.value)}).`;
  return figure_of({
    title: `Error by ${map.rows.name} and ${map.columns.name}`, says, draw, legend: heat_legend(),
    table: {rows: flat, columns: [
      {label: map.rows.name, number: true, value: (cell) => cell.r, show: (cell) => place_text(map.rows, cell.r, rows)},
      {label: map.columns.name, number: true, value: (cell) => cell.c, show: (cell) => place_text(map.columns, cell.c, columns)},
      {label: "error / allowed", number: true, value: (cell) => heat_key(cell.value), show: (cell) => share_text(cell.value)}]},
  });
}

function heat_key(value) {
  const number = number_of(value);
  return Number.isNaN(number) ? Infinity : number;
}

function heat_legend() {
  return [0, 2, 3, 4, 6, 7].map((step) => el("li", {}, svg("svg", {class: "chart", viewBox: "0 0 26 16", "aria-hidden": "true"},
    heat_cell(step, {x: 5, y: 2, width: 16, height: 12})), step === 0 ? "below 1.6 %" : step === 7 ? "64 times and more, NaN" : `from ${share_text(HEAT_LIMITS[step - 1])}`));
}
