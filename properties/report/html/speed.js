function speed_section(section) {
  if (DATA.perf.length === 0) return;
  section.append(el("h2", {id: "speed-title", text: "Speed"}), record_table(DATA.perf, "Timings"));
  section.hidden = false;
}
