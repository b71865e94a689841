// What ran where, with which seeds; what was left out, and why verdicts say nothing.

const WELL_KNOWN = ["type", "format", "kernels", "left_out", "command", "properties"];

function plain(value) {
  return typeof value === "string" ? value : Array.isArray(value) ? value.map(plain).join(", ") : typeof value === "object" ? JSON.stringify(value) : short_or_whole(value);
}

function short_or_whole(value) {
  return Number.isInteger(value) ? String(value) : short_number(value);
}

function run_card(run, index) {
  const {header} = run;
  const kernels = header.kernels ?? [];
  const command = (header.command ?? []).map((word) => (/^[\w./:=,@+-]+$/.test(word) ? word : shell_quoted(word))).join(" ");
  const kernel_columns = [{label: "Kernel", head: true, value: (kernel) => kernel.name ?? ""},
    ...[...new Set(kernels.flatMap(Object.keys))].filter((key) => key !== "name").map((key) => ({label: key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " "), value: (kernel) => plain(kernel[key] ?? "")}))];
  return el("article", {class: "card", "aria-label": `Run ${index + 1}`},
    el("h3", {text: run.file}),
    command ? command_line(command, `the command of run ${index + 1}`) : null,
    facts([["Properties", (header.properties ?? []).join(", ")],
      ...Object.entries(header).filter(([key]) => !WELL_KNOWN.includes(key)).map(([key, value]) => [key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " "), plain(value)])]),
    kernels.length > 0 ? new DataTable(kernel_columns, kernels, {caption: "Kernels"}).element : null,
    header.left_out?.length > 0 ? el("details", {}, el("summary", {text: `${counted(header.left_out.length, "feature")} not drawn, as kernels do not support them`}),
      el("ul", {}, header.left_out.map((text) => el("li", {text})))) : null);
}

// Reasons that differ by their numbers only are one reason.
function reason_table(status, title) {
  const indices = ALL_VERDICTS.filter((i) => text_at(VERDICTS.status[i]) === status);
  if (indices.length === 0) return null;
  const rows = [...grouped(indices, (i) => `${VERDICTS.property[i]} ${text_at(VERDICTS.message[i]).replace(/\d+/g, "#")}`).values()]
    .map((group) => ({count: group.length, property: text_at(VERDICTS.property[group[0]]), message: text_at(VERDICTS.message[group[0]])}))
    .sort((a, b) => b.count - a.count);
  return new DataTable([{label: "Verdicts", number: true, value: (row) => row.count, show: (row) => count_text(row.count)}, {label: "Property", value: (row) => row.property}, {label: "For example", value: (row) => row.message}],
    rows, {caption: title, page_size: rows.length > 20 ? 20 : Infinity}).element;
}

function surroundings_section(section) {
  add(section, el("h2", {id: "surroundings-title", text: "Environment and seeds"}), DATA.runs.map(run_card));
  const reasons = [reason_table("MISTRUSTED", "MISTRUSTED: checks that could not have failed, with the reason"), reason_table("UNSUPPORTED", "UNSUPPORTED: what did not run, with the reason")].filter((table) => table !== null);
  if (reasons.length > 0) section.append(el("h3", {text: "What proves nothing"}), ...reasons);
}
