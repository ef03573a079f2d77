// Filters and hover values: the counts come from the script element "cells", names only ever become text.
"use strict";
(() => {
  const facts = JSON.parse(document.getElementById("cells").textContent);
  const selects = [...document.querySelectorAll("#filters select")];
  const chosen = () => Object.fromEntries(selects.map((s) => [s.name, s.value]));
  const percent = (part, whole) => {
    if (!whole) return "";
    const shown = `${((100 * part) / whole).toFixed(1)}%`;
    if (shown === "100.0%" && part < whole) return ">99.9%"; // as in metrics/percent.py
    return shown === "0.0%" && part ? "<0.1%" : shown;
  };
  const passed = new Set(facts.passed);

  for (const select of selects)
    for (const name of facts.names[select.name]) select.add(new Option(name.replaceAll("_", " "), name));

  function counts(column, filter) {
    const found = new Map();
    for (const cell of facts.cells) {
      const names = Object.fromEntries(facts.columns.map((c, i) => [c, facts.names[c][cell[i]]]));
      if (!Object.entries(filter).every(([c, value]) => !value || names[c] === value)) continue;
      const sum = found.get(names[column]) ?? { all: 0, passed: 0 };
      sum.all += cell[4];
      sum.passed += passed.has(names.outcome) ? cell[4] : 0;
      found.set(names[column], sum);
    }
    return [...found].sort((a, b) => b[1].all - a[1].all || (a[0] < b[0] ? -1 : 1));
  }

  function element(tag, text, properties = {}) {
    return Object.assign(document.createElement(tag), { textContent: text }, properties);
  }

  function row(name, sum, whole, most) {
    const said = `${name.replaceAll("_", " ")}: ${sum.all} of ${whole} episodes (${percent(sum.all, whole)}), ` +
      `${sum.passed} passed (${percent(sum.passed, sum.all)})`;
    const line = element("tr", "", { title: said });
    const bar = element("td", "", { className: "bar" });
    const box = element("span", "");
    box.style.width = `${(100 * sum.all) / most}%`;
    const done = element("span", "");
    done.style.width = `${sum.all ? (100 * sum.passed) / sum.all : 0}%`;
    box.append(done);
    bar.append(box);
    line.append(element("th", name.replaceAll("_", " "), { scope: "row" }), bar);
    line.append(element("td", String(sum.all)), element("td", percent(sum.passed, sum.all)));
    return line;
  }

  function draw() {
    const filter = chosen();
    for (const table of document.querySelectorAll("table[data-by]")) {
      const rows = counts(table.dataset.by, filter);
      const whole = rows.reduce((sum, [, one]) => sum + one.all, 0);
      table.tBodies[0].replaceChildren(...rows.map(([n, sum]) => row(n, sum, whole, rows[0][1].all)));
      document.getElementById("chosen").textContent = `${whole} episodes`;
    }
    for (const table of document.querySelectorAll("details table")) narrow(table, filter);
    for (const mark of document.querySelectorAll("figure [data-agent], figure [data-domain]"))
      mark.classList.toggle("faint", ["agent", "domain"].some((name) => isOther(name, mark.dataset[name], filter[name])));
  }

  function isOther(name, value, wanted) {
    return Boolean(wanted) && value !== wanted && facts.names[name].includes(value);
  }

  function narrow(table, filter) {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const line of table.tBodies[0].rows)
      line.hidden = heads.some((head, i) => filter[head] && line.cells[i].textContent !== filter[head]);
  }

  document.getElementById("explore-part").hidden = false;
  for (const select of selects) select.addEventListener("change", draw);
  draw();
})();
