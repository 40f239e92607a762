// Ledger, theme, and putting the figures in their places. Without it the page can still be read.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Figures are drawn when they come near the screen, or at once for the printer.
  const data = JSON.parse($("#data").textContent);
  // Lines leave out what they share with an earlier one.
  for (const figure of Object.values(data).flat()) for (const line of figure.lines) {
    line.x ??= figure.lines[0].x;
    if (line.as !== undefined) ({ y: line.y, band: line.band } = figure.lines[line.as]);
  }
  const charts = new Map();
  const chart = (node) => {
    if (charts.has(node)) return;
    const figure = (data[node.dataset.report] || []).find((f) => f.id === node.dataset.figure);
    if (figure) charts.set(node, new Figure.Chart(node, figure));
  };
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); chart(entry.target); }
  }, { rootMargin: "600px" });
  $$(".chart").forEach((node) => near.observe(node));
  addEventListener("beforeprint", () => $$(".chart").forEach(chart));

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

  const table = $(".ledger");
  if (!table) return;
  const claims = $$(".claim", table);
  const words = new Map(claims.map((c) => [c, c.textContent.toLowerCase()]));
  const find = $("#find"), kind = $("#kind"), shown = $("#shown");
  const chips = $$(".chip");
  const pressed = (button) => button.getAttribute("aria-pressed") === "true";

  const open = (claim, yes) => {
    claim.classList.toggle("opened", yes);
    $(".open", claim).setAttribute("aria-expanded", String(yes));
  };
  claims.forEach((claim) => {
    open(claim, false);
    $(".open", claim).addEventListener("click", () => open(claim, !claim.classList.contains("opened")));
  });

  const filter = () => {
    const verdicts = chips.filter(pressed).map((c) => c.dataset.verdict);
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      const fits = (!verdicts.length || verdicts.includes(claim.dataset.verdict))
        && (!kind.value || kind.value === claim.dataset.kind)
        && wanted.every((word) => words.get(claim).includes(word));
      claim.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${claims.length} claims`;
    $("#nothing").hidden = count > 0;
  };
  find.addEventListener("input", filter);
  kind.addEventListener("change", filter);
  const press = (chip, yes) => chip.setAttribute("aria-pressed", String(yes));
  chips.forEach((chip) => chip.addEventListener("click", () => { press(chip, !pressed(chip)); filter(); }));
  const reset = () => {
    find.value = "";
    kind.value = "";
    chips.forEach((chip) => press(chip, false));
    filter();
  };
  $("#reset").addEventListener("click", reset);
  $("#open-all").addEventListener("click", ({ target }) => {
    const yes = !pressed(target);
    press(target, yes);
    target.textContent = yes ? "Close all" : "Open all";
    claims.forEach((claim) => open(claim, yes));
  });
  $$(".tile").forEach((tile) => tile.addEventListener("click", () => {
    reset();
    chips.filter((c) => c.dataset.verdict === tile.dataset.verdict).forEach((c) => press(c, true));
    filter();
    $("#ledger").scrollIntoView();
    find.focus({ preventScroll: true });
  }));

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

  // A link to a claim opens it, whatever is filtered away.
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let up = target.closest("details"); up; up = up.parentElement.closest("details")) up.open = true;
    if (!target.classList.contains("claim")) return;
    if (target.hidden) reset();
    open(target, true);
    target.scrollIntoView();
    $(".open", target).focus({ preventScroll: true });
  };
  addEventListener("hashchange", follow);
  follow();
})();
