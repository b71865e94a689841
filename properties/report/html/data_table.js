// Tables: sortable by the buttons in their heads, paged when long, with an optional detail row behind a button.

// columns: [{label, value: row => sort key or text, show: row => node (default: the value), number, later, head, sort: false}]
//   number: right-aligned; later: left out on narrow screens; head: a row header.
// options: {caption, page_size, pagers, detail: row => node, detail_name: row => text, narrow: only as wide as its cells}
class DataTable {
  constructor(columns, rows, options = {}) {
    this.columns = columns;
    this.options = {page_size: Infinity, caption: "", ...options};
    this.order = rows;
    this.sorted_by = null;
    this.page = 0;
    this.page_size = this.options.page_size;
    this.body = el("tbody");
    this.heads = columns.map((column) => this.head(column));
    const opener = options.detail ? el("td", {}, el("span", {class: "unseen", text: "Details"})) : null;
    this.table = el("table", {}, el("caption", {}, el("span", {text: this.options.caption})), el("thead", {}, el("tr", {}, opener, this.heads)), this.body);
    this.where = el("span", {class: "where"});
    this.pager = Number.isFinite(this.page_size) ? this.make_pager() : null;
    // A region that scrolls sideways must be reachable by keyboard.
    this.element = el("div", {}, el("div", {class: this.options.narrow ? "scroll narrow" : "scroll", tabindex: 0, role: "region", "aria-label": this.options.caption}, this.table), this.pager);
    this.set_rows(rows);
  }

  head(column) {
    const style = [column.number ? "number" : "", column.later ? "later" : ""].join(" ").trim();
    if (column.sort === false) return el("th", {scope: "col", class: style || null, text: column.label});
    const button = el("button", {type: "button", text: column.label, onclick: () => this.sort_by(column)});
    return el("th", {scope: "col", class: style || null, "aria-sort": "none"}, button);
  }

  make_pager() {
    const step = (label, by) => el("button", {type: "button", text: label, onclick: () => this.go(this.page + by)});
    this.back = step("Previous", -1);
    this.next = step("Next", 1);
    const sizes = el("select", {onchange: () => { this.page_size = Number(sizes.value); this.go(0); }},
      [this.page_size, 200, 1000].map((size) => el("option", {value: size, text: count_text(size)})));
    return el("nav", {class: "pager", "aria-label": `Pages of: ${this.options.caption}`}, this.where, el("label", {}, "Rows ", sizes), this.back, this.next);
  }

  set_rows(rows) {
    this.rows = rows;
    this.apply_order();
    this.go(0);
  }

  sort_by(column) {
    // Numbers are looked at for their largest, texts from A.
    const first = column.number ? -1 : 1;
    this.sorted_by = this.sorted_by?.column === column ? {column, way: -this.sorted_by.way} : {column, way: first};
    this.columns.forEach((each, i) => {
      if (each.sort !== false) this.heads[i].setAttribute("aria-sort", each !== column ? "none" : this.sorted_by.way > 0 ? "ascending" : "descending");
    });
    this.apply_order();
    this.go(0);
    announce(`Sorted by ${column.label}, ${this.sorted_by.way > 0 ? "ascending" : "descending"}`);
  }

  apply_order() {
    this.order = this.rows;
    if (this.sorted_by === null) return;
    const {column, way} = this.sorted_by;
    const keys = this.rows.map((row) => column.value(row));
    // NaN is the worst of all, so it stands with infinity.
    const rank = (key) => (Number.isNaN(key) ? Infinity : key);
    const compare = (a, b) => {
      const x = rank(keys[a]), y = rank(keys[b]);
      return (x < y ? -1 : x > y ? 1 : 0) * way;
    };
    this.order = this.rows.map((_, i) => i).sort((a, b) => compare(a, b) || a - b).map((i) => this.rows[i]);
  }

  go(page) {
    const pages = Math.max(1, Math.ceil(this.order.length / this.page_size));
    this.page = Math.min(Math.max(page, 0), pages - 1);
    const from = Number.isFinite(this.page_size) ? this.page * this.page_size : 0;
    const shown = this.order.slice(from, from + this.page_size);
    this.body.replaceChildren(...shown.flatMap((row) => this.rows_of(row)));
    if (this.pager === null) return;
    this.where.textContent = shown.length === 0 ? "Nothing matches" : `${count_text(from + 1)} to ${count_text(from + shown.length)} of ${count_text(this.order.length)}`;
    this.back.disabled = this.page === 0;
    this.next.disabled = this.page === pages - 1;
  }

  rows_of(row) {
    const cells = this.columns.map((column) => {
      const style = [column.number ? "number" : "", column.later ? "later" : ""].join(" ").trim();
      const shown = column.show ? column.show(row) : column.value(row);
      return el(column.head ? "th" : "td", {class: style || null, scope: column.head ? "row" : null}, shown instanceof Node ? shown : String(shown));
    });
    const line = el("tr", {}, this.options.detail ? el("td", {}, this.opener(row)) : null, cells);
    return [line];
  }

  opener(row) {
    const name = this.options.detail_name(row);
    const button = el("button", {type: "button", class: "plain open", "aria-expanded": "false", "aria-label": `Details of ${name}`, text: "▸"});
    button.addEventListener("click", () => {
      const line = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      button.textContent = open ? "▸" : "▾";
      line.classList.toggle("open", !open);
      if (open) line.nextElementSibling.remove();
      else line.after(el("tr", {class: "detail"}, el("td", {colspan: this.columns.length + 1}, this.options.detail(row))));
    });
    return button;
  }
}
