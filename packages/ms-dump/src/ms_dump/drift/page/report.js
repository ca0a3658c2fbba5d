"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("sites");
  const body = table.tBodies[0];
  const details = document.getElementById("details");
  const make = (tag, text, name) => {
    const found = document.createElement(tag);
    if (text !== undefined) found.textContent = text;
    if (name) found.className = name;
    return found;
  };

  const value = (row, column) => {
    const cell = row.cells[column];
    const number = cell.dataset.v;
    return number === undefined ? cell.textContent : Number(number);
  };
  const sortable = (sorted) => sorted.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head) return;
    const column = head.cellIndex;
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of sorted.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...sorted.tBodies[0].rows].sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    });
    sorted.tBodies[0].append(...rows);
  });
  sortable(table);
  sortable(document.getElementById("cells"));

  document.getElementById("filter").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/);
    for (const row of body.rows) {
      const text = (row.textContent + " " + row.dataset.more).toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });

  const bars = (counts) => {
    const names = ["equal", ...data.bins.map((b) => "< " + b.toExponential(0)), "≥ 10", "inf, nan"];
    const space = document.querySelector("svg").namespaceURI;
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 440 ${names.length * 18 + 4}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "histogram of relative errors");
    const most = Math.max(1, ...counts);
    const put = (tag, attributes, text) => {
      const found = document.createElementNS(space, tag);
      for (const [name, set] of Object.entries(attributes)) found.setAttribute(name, set);
      if (text !== undefined) found.textContent = text;
      svg.append(found);
    };
    names.forEach((name, i) => {
      const kind = i === 0 ? "equal" : i > 10 ? "broken" : i > 5 ? "drift" : "rounding";
      const width = counts[i] ? Math.max(2, (counts[i] / most) * 270) : 0;
      put("text", { x: 60, y: i * 18 + 15, "text-anchor": "end" }, name);
      put("rect", { x: 68, y: i * 18 + 4, width, height: 13, class: kind });
      put("text", { x: 74 + width, y: i * 18 + 15 }, counts[i] || "");
    });
    return svg;
  };

  const show = (number) => {
    const site = data.sites[number];
    if (!site) return;
    for (const row of body.rows) row.classList.toggle("chosen", Number(row.dataset.site) === number);
    const close = make("button", "close");
    close.addEventListener("click", () => { details.hidden = true; });
    details.replaceChildren(close, make("h2", `${site.name} (${site.backward ? "backward" : "forward"})`));
    details.append(make("p", site.path, "meta"));
    const list = make("dl");
    const rows = {
      class: site.kind, "worst in step": site.iteration, type: `${site.dtype} (${site.shape.join(", ")})`,
      calls: site.calls, ...site.metrics, "Accuracy Reached or Not": site.verdict, "last places": site.scaled, ...site.counts,
    };
    for (const [name, said] of Object.entries(rows)) list.append(make("dt", name), make("dd", String(said)));
    details.append(list, make("h2", "Relative errors"), bars(site.histogram));
    const place = `${site.source[0]}:${site.source[1]}`;
    details.append(make("h2", "Called from"), make("p", place, "meta"));
    const code = make("pre");
    for (const line of data.sources[place] || []) {
      const mine = Number(line.slice(0, 5)) === site.source[1];
      code.append(make(mine ? "b" : "span", line + "\n"));
    }
    details.append(code);
    if (site.rules.length) {
      details.append(make("h2", "Rules that acted"));
      const rules = make("ul");
      for (const rule of site.rules) rules.append(make("li", `${rule}: ${data.ruleTexts[rule] || ""}`));
      details.append(rules);
    }
    details.hidden = false;
  };
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) show(Number(row.dataset.site));
  });
  body.addEventListener("keydown", (event) => {
    if (event.key === "Enter") show(Number(event.target.dataset.site));
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") details.hidden = true; });
  for (const point of document.querySelectorAll("circle[data-site]")) {
    point.addEventListener("click", () => show(Number(point.dataset.site)));
  }
  document.querySelector("#culprit [data-site]")?.addEventListener("click", (event) => {
    show(Number(event.target.dataset.site));
  });
})();
