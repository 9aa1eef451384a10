"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const rising = head.getAttribute("aria-sort") !== "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const key = (row) => row.cells[column].textContent;
    const compare = (a, b) => {
      const [x, y] = [key(a), key(b)];
      // Rows without an entry come last in both orders.
      if (x === "" || y === "") { return (x === "") - (y === ""); }
      const order = isNaN(x) || isNaN(y) ? x.localeCompare(y) : Number(x) - Number(y);
      return rising ? order : -order;
    };
    const body = table.tBodies[0];
    Array.from(body.rows).sort(compare).forEach((row) => body.appendChild(row));
  }));
}
