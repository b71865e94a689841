// Shares of a whole as one bar a row.

// Steps beyond the eight colours repeat them, pale with an outline.
function part_style(series) {
  return `bar tone-${series % 8}${series >= 8 ? " second" : ""}`;
}

// rows: [{name, parts: [{name, tone, value}]}]; values are shares of one; negative ones are left out of the drawing and stand
// in the table. Each bar fills the width: it shows proportions, and `note` says how large the whole is.
function stacked_bars(rows) {
  const line = 17, bar = 24, gap = 16;
  return (width) => {
    const drawing = svg("svg", {viewBox: `0 0 ${width} ${rows.length * (line + bar + gap)}`});
    rows.forEach((row, index) => {
      const top = index * (line + bar + gap);
      drawing.append(svg("text", {class: "strong", x: 0, y: top + 12, text: fitting(row.name, width - LETTER * row.note.length - 12)}),
        svg("text", {class: "value", x: width, y: top + 12, "text-anchor": "end", text: row.note}));
      const sum = row.parts.reduce((total, {value}) => total + Math.max(0, value), 0) || 1;
      let x = 0;
      for (const part of row.parts) {
        const wide = (Math.max(0, part.value) / sum) * width;
        if (wide < 0.5) continue;
        drawing.append(svg("rect", {class: part_style(part.tone), x, y: top + line, width: Math.max(0.5, wide - 1.5), height: bar, rx: 2},
          svg("title", {text: `${part.name}: ${share_text(part.value)}`})));
        if (wide > LETTER * part.name.length + 12) drawing.append(svg("text", {class: "on-bar", x: x + 6, y: top + line + 16, text: part.name}));
        else if (wide > 40) drawing.append(svg("text", {class: "on-bar", x: x + 6, y: top + line + 16, text: fitting(part.name, wide - 10)}));
        x += wide;
      }
    });
    return drawing;
  };
}

const LETTER = 7.8;  // pixels of a wide letter of 12, in bold

// SVG does not break lines: what does not fit is cut.
function fitting(text, width) {
  const letters = Math.max(3, Math.floor(width / LETTER));
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}
