// Records of any kind as a table: each key that holds one value is a column.

function record_table(records, caption) {
  const keys = [...new Set(records.flatMap(Object.keys))].filter((key) => key !== "type" && key !== "in_run" && records.some((record) => typeof record[key] !== "object"));
  const columns = keys.map((key) => {
    const number = records.every((record) => record[key] === undefined || typeof record[key] === "number" || ["nan", "inf", "-inf"].includes(record[key]));
    return {label: key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " "), number,
      value: (record) => (number ? number_of(record[key] ?? NaN) : plain(record[key] ?? "")),
      show: (record) => (record[key] === undefined ? "" : number ? short_or_whole(record[key]) : plain(record[key]))};
  });
  return new DataTable(columns, records, {caption, page_size: records.length > 50 ? 50 : Infinity}).element;
}
