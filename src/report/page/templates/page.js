// Ledger, search, theme, and putting the figures in their places. Without it the page can still be read.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  const data = JSON.parse($("#data").textContent);
  // Lines leave out what they share with an earlier one.
  for (const figure of Object.values(data).flat()) for (const line of figure.lines || []) {
    line.x ??= figure.lines[0].x;
    if (line.as !== undefined) ({ y: line.y, band: line.band } = figure.lines[line.as]);
  }
  const charts = new Map();
  const chart = (node) => {
    if (charts.has(node)) return;
    const figure = (data[node.dataset.report] || []).find((f) => f.id === node.dataset.figure);
    if (figure) charts.set(node, figure.panels ? new Figure.HeatMap(node, figure) : new Figure.Chart(node, figure));
  };
  // Asked of the document, not of the layout: a browser that is asked for the place of something in a
  // closed part lays all of it out, two thirds of the time the page takes to load.
  const closed = (node) => node.closest("details:not([open])") !== null;
  // Figures that can be seen are drawn at once and those in a closed part when it is opened, so that
  // nothing moves afterwards and a link lands where it points.
  const drawAll = (root) => $$(".chart", root).filter((node) => !closed(node)).forEach(chart);
  drawAll(document);
  document.addEventListener("toggle", (event) => { if (event.target.open) drawAll(event.target.closest("article") || event.target); }, true);
  addEventListener("beforeprint", () => $$(".chart").forEach(chart));

  // A table that is wider than its box has a visible edge, until its end is in view.
  const edge = (box) => box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
  const seen = new IntersectionObserver((entries) => entries.filter((e) => e.isIntersecting).forEach((e) => edge(e.target)));
  const watch = (root) => $$(".scroll", root).forEach((box) => { seen.observe(box); if (!closed(box)) edge(box); });
  watch(document);
  document.addEventListener("scroll", ({ target }) => { if (target.classList?.contains("scroll")) edge(target); }, true);
  addEventListener("resize", () => $$(".scroll").filter((box) => !closed(box)).forEach(edge));

  // All digits of a number, under the pointer.
  document.addEventListener("pointerover", ({ target }) => {
    const value = target.closest?.("data[value]");
    if (value) value.title = value.value;
  });
  $$("button.columns").forEach((button) => button.addEventListener("click", () => {
    const all = button.getAttribute("aria-pressed") !== "true";
    const table = $("table", button.parentElement);
    button.setAttribute("aria-pressed", String(all));
    table.classList.toggle("all", all);
    button.dataset.more ??= button.textContent;
    button.textContent = all ? "Show fewer columns" : button.dataset.more;
  }));

  const themes = ["auto", "light", "dark"];
  const theme = $("#theme");
  const current = () => document.documentElement.dataset.theme || "auto";
  const label = () => {
    theme.textContent = "Theme: " + current();
    theme.setAttribute("aria-label", `Theme: ${current()}. Press to change.`);
  };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(current()) + 1) % themes.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try { next === "auto" ? localStorage.removeItem("theme") : localStorage.setItem("theme", next); } catch (_) {}
    label();
  });
  label();

  // The ledger. What is chosen is in the address: #ledger?owner=paper&v=fails,loose&q=words&open=a,b
  const table = $(".ledger");
  const claims = table ? $$(".claim", table) : [];
  const words = new Map(claims.map((c) => [c, c.textContent.toLowerCase()]));
  const find = $("#find"), kind = $("#kind"), owner = $("#owner"), shown = $("#shown");
  const chips = $$(".chip");
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";
  const press = (chip, yes) => chip.setAttribute("aria-pressed", String(yes));
  const FIRST = ["fails", "inconsistent", "vacuous"];

  const open = (claim, yes) => {
    claim.classList.toggle("opened", yes);
    $(".open", claim).setAttribute("aria-expanded", String(yes));
  };
  const remember = () => {
    const state = new URLSearchParams();
    if (owner.value) state.set("owner", owner.value);
    if (kind.value) state.set("kind", kind.value);
    state.set("v", chips.filter(pressed).map((c) => c.dataset.verdict).join(","));
    if (find.value) state.set("q", find.value);
    const opened = claims.filter((c) => c.classList.contains("opened")).map((c) => c.id);
    if (opened.length && opened.length < 20) state.set("open", opened.join(","));
    history.replaceState(null, "", "#ledger?" + String(state).replaceAll("%2C", ","));
  };
  const filter = () => {
    const verdicts = chips.filter(pressed).map((c) => c.dataset.verdict);
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      const fits = (!verdicts.length || verdicts.includes(claim.dataset.verdict))
        && (!kind.value || kind.value === claim.dataset.kind)
        && (!owner.value || owner.value === claim.dataset.owner)
        && wanted.every((word) => words.get(claim).includes(word));
      claim.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${claims.length} claims`;
    $("#nothing").hidden = count > 0;
  };
  const choose = (state) => {
    find.value = state.get("q") || "";
    kind.value = state.get("kind") || "";
    owner.value = state.get("owner") || "";
    const verdicts = (state.get("v") || "").split(",");
    chips.forEach((chip) => press(chip, verdicts.includes(chip.dataset.verdict)));
    const opened = (state.get("open") || "").split(",");
    claims.forEach((claim) => open(claim, opened.includes(claim.id)));
    filter();
  };
  const everything = () => new URLSearchParams("v=");

  if (table) {
    claims.forEach((claim) => $(".open", claim).addEventListener("click", () => {
      open(claim, !claim.classList.contains("opened"));
      remember();
    }));
    const changed = () => { filter(); remember(); };
    find.addEventListener("input", () => {
      // Words are looked for everywhere, not only in what is shown at first.
      if (!find.dataset.used) chips.forEach((chip) => press(chip, false));
      find.dataset.used = "yes";
      changed();
    });
    kind.addEventListener("change", changed);
    owner.addEventListener("change", changed);
    chips.forEach((chip) => chip.addEventListener("click", () => { press(chip, !pressed(chip)); changed(); }));
    $("#reset").addEventListener("click", () => { choose(everything()); remember(); });
    $("#open-all").addEventListener("click", ({ target }) => {
      const yes = !pressed(target);
      press(target, yes);
      target.textContent = yes ? "Close all" : "Open all";
      claims.forEach((claim) => open(claim, yes));
    });
    const heads = $$("th[aria-sort]", table);
    heads.forEach((head) => $("button", head).addEventListener("click", (event) => {
      const by = event.currentTarget.dataset.sort;
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((h) => h.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (a, b) => by === "id"
        ? (a.dataset.id < b.dataset.id ? -1 : 1)
        : a.dataset[by] - b.dataset[by] || a.dataset.index - b.dataset.index;
      claims.sort((a, b) => (up ? order(a, b) : order(b, a)));
      table.append(...claims);
    }));
    // At first, what does not stand; everything is one button away.
    choose(new URLSearchParams({ v: FIRST.filter((v) => chips.some((c) => c.dataset.verdict === v)).join(",") }));
  }

  // A link opens what it points to, whatever is filtered away or closed, and then goes there.
  const go = (hash) => {
    const [id, state] = decodeURIComponent(hash.slice(1)).split("?");
    const target = document.getElementById(id);
    if (!target) return;
    if (id === "ledger" && state !== undefined && table) choose(new URLSearchParams(state));
    for (let up = target.closest("details"); up; up = up.parentElement.closest("details")) {
      up.open = true;
      drawAll(up.closest("article") || up);
    }
    const inside = target.matches("div[id^=term-]") ? $("#terms") : null;
    if (inside) inside.open = true;
    if (target.classList.contains("claim")) {
      if (target.hidden) choose(everything());
      open(target, true);
    }
    target.scrollIntoView({ behavior: "instant" });
    if (target.classList.contains("claim")) $(".open", target).focus({ preventScroll: true });
  };
  addEventListener("hashchange", () => go(location.hash));
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) go(location.hash);
  });
  if (location.hash) go(location.hash);

  // Search over everything that has a name of its own.
  const search = $("#search"), results = $("#results");
  $(".everywhere").hidden = false;
  const text = (node, length) => node.textContent.replace(/\s+/g, " ").trim().slice(0, length);
  let index;
  const things = () => index ??= [
    ...claims.map((c) => ({ id: c.id, what: "claim", name: `${c.id}: ${text($(".open", c), 140)}`, in: words.get(c) })),
    ...$$("article.experiment").map((e) => ({ id: e.id, what: "experiment", name: text($("h3", e), 140), in: e.textContent.toLowerCase() })),
    ...$$(".part").map((p) => ({ id: p.id, what: "section", name: text($("summary", p), 140), in: p.textContent.toLowerCase() })),
    ...$$(".finding").map((f) => ({ id: f.id, what: "published table", name: text($("h4", f), 140), in: f.textContent.toLowerCase() })),
    ...$$(".theorems details").map((t) => ({ id: t.id, what: "theorem", name: text($("summary", t), 140), in: t.textContent.toLowerCase() })),
    ...$$(".terms > div").map((t) => ({ id: t.id, what: "term", name: text($("dt", t), 140), in: t.textContent.toLowerCase() })),
    ...$$("figure.chart[id]").map((f) => ({ id: f.id, what: "figure", name: text($("h4", f), 140), in: (f.dataset.report + " " + $("h4", f).textContent).toLowerCase() })),
  ];
  let chosen = -1;
  const hide = () => { results.hidden = true; search.setAttribute("aria-expanded", "false"); chosen = -1; };
  const look = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return hide();
    const named = (thing) => wanted.every((word) => thing.name.toLowerCase().includes(word));
    const found = things().filter((thing) => wanted.every((word) => thing.in.includes(word) || thing.name.toLowerCase().includes(word)));
    found.sort((a, b) => named(b) - named(a));
    results.replaceChildren(...found.slice(0, 12).map((thing, i) => {
      const link = document.createElement("a");
      link.href = "#" + thing.id;
      link.tabIndex = -1;
      const what = document.createElement("span");
      what.className = "quiet";
      what.textContent = thing.what;
      link.append(thing.name, what);
      const item = document.createElement("li");
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.id = "result-" + i;
      item.append(link);
      return item;
    }));
    if (!found.length) {
      const none = document.createElement("li");
      none.setAttribute("role", "option");
      none.textContent = "Nothing found";
      results.append(none);
    }
    results.hidden = false;
    search.setAttribute("aria-expanded", "true");
  };
  search.addEventListener("input", look);
  search.addEventListener("keydown", (event) => {
    const items = $$("li", results);
    if (event.key === "Escape") return hide();
    if (event.key === "Enter") { const link = $("a", items[Math.max(chosen, 0)] || results); if (link) link.click(); return; }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || results.hidden) return;
    event.preventDefault();
    chosen = Math.min(items.length - 1, Math.max(0, chosen + step));
    items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    search.setAttribute("aria-activedescendant", "result-" + chosen);
    items[chosen].scrollIntoView({ block: "nearest" });
  });
  results.addEventListener("click", (event) => { if (event.target.closest("a")) hide(); });
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".everywhere")) hide(); });
})();
