// A chart with its title, one sentence that says what it shows, a legend, and the same numbers as a table.

const SMALLEST_WIDTH = 280;  // below, a phone would have to be narrower than any

// draw: (width) => svg element; redrawn when the width changes, so that its text keeps its size.
function figure_of({title, says, draw, legend = [], table, extra = null}) {
  const id = fresh_id("chart");
  const place = el("div", {});
  let width = 0;
  const redraw = () => {
    const now = Math.max(SMALLEST_WIDTH, Math.floor(place.clientWidth));
    if (now === width) return;
    width = now;
    const drawing = draw(width);
    drawing.setAttribute("class", "chart");
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-labelledby", `${id}-title ${id}-says`);
    place.replaceChildren(drawing);
  };
  new ResizeObserver(redraw).observe(place);
  const figure = el("figure", {class: "card"},
    el("figcaption", {}, el("span", {class: "title", id: `${id}-title`, text: title}), el("span", {class: "says", id: `${id}-says`, text: says})),
    extra, place, legend.length > 0 ? el("ul", {class: "legend"}, legend) : null,
    table ? numbers_of(table, title) : null);
  figure.redraw = () => { width = 0; redraw(); };
  return figure;
}

// Made when it is opened: a chart of many points has a long table.
function numbers_of({columns, rows}, title) {
  const details = el("details", {class: "numbers"}, el("summary", {text: "The numbers as a table"}));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(new DataTable(columns, rows, {caption: title, page_size: rows.length > 50 ? 50 : Infinity}).element);
  });
  return details;
}

// Marks differ in shape as well as in colour.
const MARKS = [
  (x, y, r) => svg("circle", {cx: x, cy: y, r}),
  (x, y, r) => svg("rect", {x: x - r * 0.9, y: y - r * 0.9, width: r * 1.8, height: r * 1.8}),
  (x, y, r) => svg("path", {d: `M${x} ${y - r * 1.2}L${x + r * 1.15} ${y + r * 0.9}H${x - r * 1.15}Z`}),
  (x, y, r) => svg("path", {d: `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}Z`}),
];

function mark(series, x, y, radius = 4) {
  const shape = MARKS[series % MARKS.length](x, y, radius);
  shape.setAttribute("class", "mark");
  return shape;
}

function legend_line(series, name) {
  return el("li", {class: `tone-${series % 8}`}, svg("svg", {class: "chart", viewBox: "0 0 26 16", "aria-hidden": "true"},
    svg("path", {class: "line", d: "M1 8H25"}), mark(series, 13, 8)), name);
}

function legend_box(series, name, style = "bar") {
  return el("li", {class: `tone-${series % 8}`}, svg("svg", {class: "chart", viewBox: "0 0 26 16", "aria-hidden": "true"},
    svg("rect", {class: style, x: 5, y: 2, width: 16, height: 12, rx: 2})), name);
}

function legend_cross(name) {
  return el("li", {}, svg("svg", {class: "chart", viewBox: "0 0 26 16", "aria-hidden": "true"}, svg("path", {class: "bad", d: "M9 4l8 8m0 -8l-8 8"})), name);
}

function legend_path(style, name) {
  return el("li", {}, svg("svg", {class: "chart", viewBox: "0 0 26 16", "aria-hidden": "true"}, svg("path", {class: style, d: "M1 8H25"})), name);
}
