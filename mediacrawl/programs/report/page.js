// Sorts a table by the column whose heading is clicked, and filters its rows. Values to sort by are in data-v.
for (const table of document.querySelectorAll("table.sorted")) {
  const body = table.tBodies[0];
  table.querySelectorAll("thead th").forEach((head, place) => {
    head.querySelector("button")?.addEventListener("click", () => {
      const falls = head.getAttribute("aria-sort") !== "descending";
      table.querySelectorAll("thead th").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const value = (row) => row.cells[place].dataset.v ?? row.cells[place].textContent;
      const isNumber = (row) => row.cells[place].dataset.v !== undefined;
      const rows = [...body.rows].sort((a, b) =>
        isNumber(a) ? Number(value(a)) - Number(value(b)) : value(a).localeCompare(value(b)));
      body.append(...(falls ? rows.reverse() : rows));
    });
  });
}
const filter = document.getElementById("filter");
filter?.addEventListener("input", () => {
  for (const row of document.querySelector("table.sorted").tBodies[0].rows)
    row.hidden = !row.textContent.toLowerCase().includes(filter.value.toLowerCase());
});
