// Figures drawn from the series of the stored reports. Nothing is computed here but positions.
"use strict";
const Figure = (() => {
  const NS = document.getElementById("ns").namespaceURI;
  const DASHES = ["", "8 4", "2 3", "12 4 2 4", "6 2", "1 3", "10 3 2 3 2 3", "4 4"];
  const GREY_DASHES = ["4 3", "1 3", "7 3 1 3", "14 4", "14 4 3 4", "24 3", "10 3 2 3 2 3"];
  const SHAPES = ["circle", "square", "triangle", "diamond", "down", "cross", "plus", "bar"];

  const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

  const svg = (name, attributes = {}, children = []) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const html = (name, attributes = {}, children = []) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const px = (v) => v.toFixed(1);

  /** Few digits for the eye; all of them stay in the markup. */
  const short = (v) => {
    const size = Math.abs(v);
    if (v === 0) return "0";
    if (size >= 1e7 || size < 1e-4) return v.toExponential(2).replace("e+", "e");
    if (Number.isInteger(v) || size >= 1e4) return Math.round(v).toLocaleString("en").replaceAll(",", "\u202f");
    return String(Number(v.toPrecision(5)));
  };
  /** Labels are plain text in the reports; powers, roots and Greek letters read better set. */
  const GREEK = { rho: "ρ", gamma: "γ", eta: "η", alpha: "α", beta: "β", kappa: "κ" };
  const words = (text) => text
    .replace(/sqrt\((\w+)\)/g, "√$1").replace(/\b(rho|gamma|eta|alpha|beta|kappa)(?![\w-])/g, (name) => GREEK[name])
    .split(/(\^\([^)]*\))/).map((part) => part.startsWith("^(") ? html("sup", {}, [part.slice(2, -1)]) : part);
  const number = (v) => html("data", { value: String(v) }, [short(v)]);

  const linear = (low, high, from, to) => {
    const step = (high - low) / 5 || 1;
    const power = 10 ** Math.floor(Math.log10(step));
    const nice = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= step * 0.999);
    const ticks = [];
    for (let k = Math.ceil(low / nice - 1e-9); k * nice <= high + nice * 1e-9; k++) ticks.push(k * nice);
    const digits = Math.max(0, -Math.floor(Math.log10(nice) + 1e-9));
    const label = (v) => Math.abs(v) >= 1e4
      ? (v % 1000 === 0 && Math.abs(v) < 1e6 ? v / 1000 + "k" : short(v))
      : v.toFixed(digits);
    return { at: (v) => from + ((v - low) / (high - low || 1)) * (to - from), ticks, label };
  };
  const logarithmic = (low, high, from, to) => {
    const [a, b] = [Math.log10(low), Math.log10(high)];
    const every = Math.max(1, Math.ceil((b - a) / 6));
    const ticks = [];
    for (let k = Math.ceil(a - 1e-9); k <= b + 1e-9; k++) if (k % every === 0) ticks.push(10 ** k);
    if (ticks.length < 2) {
      ticks.length = 0;
      for (let k = Math.floor(a); k <= b; k++)
        for (const m of [1, 2, 5]) if (m * 10 ** k >= low && m * 10 ** k <= high) ticks.push(m * 10 ** k);
    }
    const label = (v) => v >= 1e4 || v < 1e-3 ? "10" + [...String(Math.round(Math.log10(v)))].map((d) => RAISED[d]).join("") : String(Number(v.toPrecision(3)));
    return { at: (v) => from + ((Math.log10(v) - a) / (b - a || 1)) * (to - from), ticks, label };
  };

  const marker = (shape, x, y) => {
    const r = 3.4;
    const path = {
      square: `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`, triangle: `M0 ${-r * 1.2}L${r * 1.15} ${r}H${-r * 1.15}z`,
      diamond: `M0 ${-r * 1.3}L${r * 1.3} 0L0 ${r * 1.3}L${-r * 1.3} 0z`, down: `M0 ${r * 1.2}L${r * 1.15} ${-r}H${-r * 1.15}z`,
      cross: `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`, plus: `M${-r} 0H${r}M0 ${-r}V${r}`, bar: `M0 ${-r}V${r}`,
    }[shape];
    const place = { class: "marker", transform: `translate(${px(x)} ${px(y)})` };
    return path ? svg("path", { ...place, d: path }) : svg("circle", { ...place, r });
  };

  class Chart {
    constructor(node, figure) {
      this.figure = figure;
      this.node = node;
      // Beside lines with a band, one without is a bound or a reference.
      const banded = figure.lines.some((l) => l.band);
      const measured = figure.lines.filter((l) => !banded || l.band);
      // Many lines named "stream: policy" are shown stream by stream, a policy in the same colour.
      const split = (line) => line.label.split(/: (.*)/s);
      const many = measured.length > 6 && measured.every((l) => split(l).length > 1);
      const groups = many ? [...new Set(measured.map((l) => split(l)[0]))] : [];
      this.groups = groups.length > 1 ? groups : [];
      const names = [...new Set(measured.map((l) => this.groups.length ? split(l)[1] : l.label))];
      let grey = 0;
      this.lines = figure.lines.map((line, i) => {
        const reference = banded && !line.band;
        const [group, name] = this.groups.length && !reference ? split(line) : [null, line.label];
        const k = reference ? grey++ : names.indexOf(name);
        // From the ninth line on colours come again, with another dash and another marker.
        const turn = k + 3 * Math.floor(k / 8);
        const same = !reference && figure.lines.slice(0, i).find((l) => l.y.length === line.y.length && l.y.every((v, j) => v === line.y[j]));
        return {
          ...line, reference, group, name, on: true, same, alike: [],
          colour: reference ? "cref" : "c" + (k % 8),
          dash: reference ? GREY_DASHES[k % GREY_DASHES.length] : DASHES[turn % DASHES.length],
          shape: reference ? null : SHAPES[turn % SHAPES.length],
        };
      });
      // Equal curves share one entry of the legend.
      for (const line of this.lines) if (line.same) this.lines.find((l) => l.label === line.same.label).alike.push(line);
      this.published = JSON.parse(node.dataset.published || "[]");
      const positive = (pick) => figure.lines.every((l) => pick(l).every((v) => v === null || v > 0));
      this.log = { x: figure.log, y: figure.log };
      this.build({ x: positive((l) => l.x), y: figure.log || positive((l) => l.y) });
    }

    build(can) {
      const { figure } = this;
      const axes = html("div", { class: "axes" }, ["axes:"]);
      for (const axis of ["x", "y"]) {
        if (!can[axis]) continue;
        const button = html("button", { type: "button", "aria-pressed": String(this.log[axis]), "data-axis": axis }, [`${axis} logarithmic`]);
        button.addEventListener("click", () => {
          this.log[axis] = !this.log[axis];
          button.setAttribute("aria-pressed", String(this.log[axis]));
          this.draw();
        });
        axes.append(button);
      }
      if (this.groups.length) axes.append(this.choice());
      const help = `${figure.title}: ${figure.y_label} against ${figure.x_label}, ${figure.lines.length} lines. Arrow keys read the values.`;
      this.canvas = html("div", { class: "canvas", tabindex: "0", role: "group", "aria-roledescription": "figure", "aria-label": help });
      this.tip = html("div", { class: "readout" });
      this.said = html("output", { class: "hidden", "aria-live": "polite" });
      this.keys = html("div", { class: "keys", role: "group", "aria-label": "Lines" });
      for (const line of this.lines.filter((l) => !l.same)) {
        const sample = svg("svg", { viewBox: "0 0 38 12", class: line.colour, "aria-hidden": "true" }, [
          svg("path", { class: "line" + (line.reference ? " reference" : ""), d: "M0 6H38", "stroke-dasharray": line.dash }),
        ]);
        if (line.shape) sample.append(marker(line.shape, 19, 6));
        const label = html("span", {}, words(line.name));
        if (line.group) label.prepend(html("span", { class: "group" }, [...words(line.group), ": "]));
        for (const other of line.alike) label.append(" = ", ...words(other.name));
        const key = html("button", { type: "button", class: "key", "aria-pressed": "true" }, [sample, label]);
        key.addEventListener("click", () => {
          for (const one of [line, ...line.alike]) one.on = !one.on;
          key.setAttribute("aria-pressed", String(line.on));
          this.draw();
        });
        line.key = key;
        this.keys.append(key);
      }
      if (this.groups.length) this.choose(this.groups[0]);
      const values = html("details", { class: "values" }, [html("summary", {}, ["Table of values"])]);
      values.addEventListener("toggle", () => { if (values.open && !values.querySelector("table")) values.append(this.table()); });
      const plot = this.node.querySelector(".plot") || this.node;
      if (plot === this.node) plot.append(html("strong", {}, words(figure.title)));
      plot.append(axes, this.canvas, this.tip, this.said, this.keys, values);

      this.canvas.addEventListener("pointermove", (event) => this.point(event));
      this.canvas.addEventListener("pointerdown", (event) => this.point(event));
      this.canvas.addEventListener("pointerleave", () => this.leave());
      this.canvas.addEventListener("blur", () => this.leave());
      this.canvas.addEventListener("keydown", (event) => this.key(event));
      let width = 0;
      new ResizeObserver(() => {
        if (this.canvas.clientWidth !== width) { width = this.canvas.clientWidth; this.draw(); }
      }).observe(this.canvas);
      this.draw();
    }

    /** One group of lines or all of them. */
    choice() {
      const select = html("select", { "aria-label": "Lines shown" });
      for (const group of this.groups) select.append(html("option", { value: group }, [group]));
      select.append(html("option", { value: "" }, ["all lines"]));
      select.addEventListener("change", () => { this.choose(select.value); this.draw(); });
      return html("label", {}, ["show ", select]);
    }

    choose(group) {
      this.keys.classList.toggle("one", Boolean(group));
      for (const line of this.lines.filter((l) => l.group)) {
        line.on = !group || line.group === group;
        if (!line.key) continue;
        line.key.hidden = !line.on;
        line.key.setAttribute("aria-pressed", String(line.on));
      }
    }

    range(axis) {
      const log = this.log[axis];
      let [low, high] = [Infinity, -Infinity];
      const see = (v) => { if (v !== null && Number.isFinite(v) && (!log || v > 0)) { low = Math.min(low, v); high = Math.max(high, v); } };
      for (const line of this.lines.filter((l) => l.on)) {
        line[axis].forEach(see);
        // On a logarithmic axis a band that reaches zero would push everything else to the top.
        if (axis === "y" && line.band) line.band.forEach(([a, b], i) => { see(log ? Math.max(a, line.y[i] / 10) : a); see(b); });
      }
      if (axis === "y") this.published.forEach(([, v]) => see(v));
      if (low > high) [low, high] = log ? [1, 10] : [0, 1];
      if (log) return low === high ? [low / 2, high * 2] : [low / 1.1, high * 1.1];
      if (axis === "x") return [Math.min(0, low), high];
      if (this.figure.y_range) return this.figure.y_range;
      const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
      return [low >= 0 && low < pad * 4 ? 0 : low - pad, high + pad];
    }

    draw() {
      const width = Math.max(240, this.canvas.clientWidth || 560);
      const height = Math.round(Math.min(400, Math.max(180, width * 0.58)));
      const box = { left: 54, right: width - 12, top: 8, bottom: height - 42 };
      const scale = (axis, from, to) => (this.log[axis] ? logarithmic : linear)(...this.range(axis), from, to);
      const x = scale("x", box.left, box.right);
      const y = scale("y", box.bottom, box.top);
      this.place = { x, y, box, width };
      const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" });
      for (const v of y.ticks) root.append(
        svg("path", { class: "grid", d: `M${box.left} ${px(y.at(v))}H${box.right}` }),
        svg("text", { x: box.left - 7, y: px(y.at(v) + 4), "text-anchor": "end" }, [y.label(v)]));
      for (const v of x.ticks) root.append(
        svg("path", { class: "axis", d: `M${px(x.at(v))} ${box.bottom}v4` }),
        svg("text", { x: px(x.at(v)), y: box.bottom + 17, "text-anchor": x.at(v) > width - 20 ? "end" : "middle" }, [x.label(v)]));
      root.append(
        svg("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }),
        svg("text", { class: "name", x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" }, [this.figure.x_label]),
        svg("text", { class: "name", transform: `translate(12 ${(box.top + box.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, [this.figure.y_label]));
      const on = this.lines.filter((l) => l.on);
      const clamp = (v) => Math.min(box.bottom, Math.max(box.top, v));
      const seen = (line, i) => line.y[i] !== null && (!this.log.x || line.x[i] > 0) && (!this.log.y || line.y[i] > 0);
      for (const line of on) {
        line.kept = line.x.map((_, i) => i).filter((i) => seen(line, i));
        const drawn = line.same && this.lines.some((l) => l.on && l.label === line.same.label);
        if (!line.band || !line.kept.length || drawn) continue;
        const edge = (i, side) => {
          // A share lies between 0 and 1, whatever mean and deviation add up to.
          const v = this.figure.y_range ? Math.min(1, Math.max(0, line.band[i][side])) : line.band[i][side];
          return `${px(x.at(line.x[i]))} ${px(clamp(y.at(this.log.y ? Math.max(v, line.y[i] / 10) : v)))}`;
        };
        const up = line.kept.map((i) => edge(i, 1));
        const down = line.kept.map((i) => edge(i, 0)).reverse();
        root.append(svg("path", { class: "band " + line.colour, d: `M${up.join("L")}L${down.join("L")}z` }));
      }
      on.filter((line) => !line.same).forEach((line, k) => {
        const points = line.kept.map((i) => [x.at(line.x[i]), y.at(line.y[i])]);
        const d = points.map(([a, b]) => `${px(a)} ${px(b)}`).join("L");
        if (d) root.append(svg("path", { class: `line ${line.colour}${line.reference ? " reference" : ""}`, d: "M" + d, "stroke-dasharray": line.dash }));
        const every = Math.max(1, Math.round(points.length / 7));
        if (line.shape) points.forEach(([a, b], i) => {
          if (i % every === (k * 2 + 1) % every) {
            const m = marker(line.shape, a, b);
            m.classList.add(line.colour);
            root.append(m);
          }
        });
      });
      // Of two lines that are close, the upper has its name above and the lower below.
      const least = Math.min(...this.published.map(([, v]) => v));
      for (const [name, v] of this.published) root.append(
        svg("path", { class: "published", d: `M${box.left} ${px(y.at(v))}H${box.right}` }),
        svg("text", { class: "publication", x: box.right - 4, y: px(y.at(v) + (v === least && this.published.length > 1 ? 13 : -4)), "text-anchor": "end" }, [`${name} ${short(v)}`]));
      this.overlay = svg("g");
      root.append(this.overlay);
      this.canvas.replaceChildren(root);
      this.xs = [...new Set(on.flatMap((l) => l.kept.map((i) => l.x[i])))].sort((a, b) => a - b);
      this.leave();
    }

    point(event) {
      if (!this.xs.length) return;
      const rect = this.canvas.getBoundingClientRect();
      const at = ((event.clientX - rect.left) / rect.width) * this.place.width;
      let best = 0;
      this.xs.forEach((v, i) => { if (Math.abs(this.place.x.at(v) - at) < Math.abs(this.place.x.at(this.xs[best]) - at)) best = i; });
      this.show(best);
    }

    key(event) {
      const last = this.xs.length - 1;
      const to = { ArrowRight: Math.min(last, (this.index ?? -1) + 1), ArrowLeft: Math.max(0, (this.index ?? last + 1) - 1), Home: 0, End: last }[event.key];
      if (event.key === "Escape") return this.leave();
      if (to === undefined || last < 0) return;
      event.preventDefault();
      this.show(to);
    }

    show(index) {
      this.index = index;
      const value = this.xs[index];
      const { x, y, box } = this.place;
      const at = x.at(value);
      const list = html("ul");
      const marks = [svg("path", { class: "cross", d: `M${px(at)} ${box.top}V${box.bottom}` })];
      for (const line of this.lines.filter((l) => l.on && !l.same)) {
        const i = line.x.indexOf(value);
        if (i < 0 || !line.kept.includes(i)) continue;
        const shown = html("span", {}, [number(line.y[i])]);
        if (line.band) shown.append(" [", number(line.band[i][0]), ", ", number(line.band[i][1]), "]");
        list.append(html("li", { class: line.colour }, [html("span", {}, words(line.label)), shown]));
        const dot = y.at(line.y[i]);
        if (dot >= box.top - 1 && dot <= box.bottom + 1) marks.push(svg("circle", { class: "dot " + line.colour, cx: px(at), cy: px(dot), r: 3.5 }));
      }
      this.overlay.replaceChildren(...marks);
      this.tip.replaceChildren(html("p", {}, [`${this.figure.x_label}: `, number(value)]), list);
      // Room once taken is kept, so that nothing below moves while the pointer does.
      this.tip.style.minHeight = Math.max(this.tip.offsetHeight, parseFloat(this.tip.style.minHeight) || 0) + "px";
      if (document.activeElement === this.canvas) this.said.textContent = this.tip.innerText;
    }

    leave() {
      this.index = undefined;
      this.tip.replaceChildren();
      this.overlay?.replaceChildren();
    }

    /** Every value of every line. */
    table() {
      const xs = [...new Set(this.lines.flatMap((l) => l.x))].sort((a, b) => a - b);
      const head = html("tr", {}, [this.figure.x_label, ...this.lines.map((l) => l.label)].map((text) => html("th", { scope: "col" }, words(text))));
      const rows = xs.map((v) => {
        const row = html("tr", {}, [html("th", { scope: "row" }, [number(v)])]);
        for (const line of this.lines) {
          const cell = html("td", { class: "n" });
          const i = line.x.indexOf(v);
          if (i >= 0 && line.y[i] !== null) {
            cell.append(number(line.y[i]));
            if (line.band) cell.append(" [", number(line.band[i][0]), ", ", number(line.band[i][1]), "]");
          }
          row.append(cell);
        }
        return row;
      });
      const table = html("table", { class: "small" }, [html("thead", {}, [head]), html("tbody", {}, rows)]);
      return html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values of " + this.figure.title }, [table]);
    }
  }

  /** Panels of cells, the stronger the colour the larger the value. */
  class HeatMap {
    constructor(node, map) {
      this.map = map;
      this.tip = html("div", { class: "readout" });
      this.said = html("output", { class: "hidden", "aria-live": "polite" });
      node.append(html("strong", {}, words(map.title)), this.scale(),
        html("div", { class: "panels" }, map.panels.map((panel) => this.panel(panel))), this.tip, this.said);
    }

    scale() {
      const { darkest, value_label } = this.map;
      return html("div", { class: "scale" }, [value_label, " ", number(0), html("span", { "aria-hidden": "true" }), number(darkest)]);
    }

    panel(panel) {
      const { map } = this;
      const [side, left, top] = [200, 44, 18];
      const size = panel.rows.length;
      const cells = panel.rows.map((row) => row.match(/../g).map((digits) => parseInt(digits, 36) / 1295));
      const [low, high] = map.y_range;
      const at = ([x, y]) => [left + side * x, top + side * (1 - y)];
      const root = svg("svg", { viewBox: `0 0 ${left + side + 8} ${top + side + 34}`, "aria-hidden": "true", focusable: "false" }, [
        svg("text", { class: "name", x: left, y: 12 }, [panel.title])]);
      // Sixteen shades, and neighbours of one shade are one rectangle, as in the file.
      const shades = new Map();
      cells.forEach((row, r) => {
        const shade = (c) => Math.round(row[c] * 16);
        for (let c = 0, start = 0; c < row.length; c++) {
          if (c + 1 < row.length && shade(c + 1) === shade(start)) continue;
          const [x, y] = at([start / row.length, (r + 1) / size]);
          const wide = ((c + 1 - start) * side) / row.length;
          const d = `M${px(x)} ${px(y)}h${px(wide)}v${px(side / size)}h${px(-wide)}z`;
          if (shade(start)) shades.set(shade(start), (shades.get(shade(start)) || "") + d);
          start = c + 1;
        }
      });
      for (const [shade, d] of shades) root.append(svg("path", { class: "heat", d, "fill-opacity": shade / 16 }));
      const line = panel.boundary.map((p) => at(p).map(px).join(" ")).join("L");
      if (line) root.append(svg("path", { class: "line c1", d: "M" + line }));
      root.append(svg("rect", { class: "axis", x: left, y: top, width: side, height: side }));
      for (const share of [0, 0.5, 1]) {
        const [x, y] = [at([share, 0]), at([0, share])];
        root.append(svg("text", { x: px(x[0]), y: px(x[1] + 13), "text-anchor": "middle" }, [String(share)]),
          svg("text", { x: px(y[0] - 5), y: px(y[1] + 4), "text-anchor": "end" }, [(low + (high - low) * share).toFixed(2)]));
      }
      root.append(
        svg("text", { class: "name", x: left + side / 2, y: top + side + 28, "text-anchor": "middle" }, [map.x_label]),
        svg("text", { class: "name", transform: `translate(11 ${top + side / 2}) rotate(-90)`, "text-anchor": "middle" }, [map.y_label]));
      for (const [x, y, name] of panel.marks) {
        const [a, b] = at([x, y]);
        root.append(svg("circle", { class: "mark", cx: px(a), cy: px(b), r: 4.5 }), svg("text", { class: "mark", x: px(a + 8), y: px(b + 4) }, [name]));
      }
      const frame = svg("rect", { class: "cross", width: side / size, height: side / size, visibility: "hidden" });
      root.append(frame);
      const help = `${panel.title}: ${map.value_label} by ${map.x_label} and ${map.y_label}. Arrow keys read the values.`;
      const box = html("div", { class: "map", tabindex: "0", role: "group", "aria-roledescription": "map", "aria-label": help }, [root]);
      let place = null;
      const show = (r, c) => {
        place = [r, c];
        const [x, y] = at([c / size, (r + 1) / size]);
        frame.setAttribute("x", px(x));
        frame.setAttribute("y", px(y));
        frame.setAttribute("visibility", "visible");
        const middle = (i) => (i + 0.5) / size;
        this.tip.replaceChildren(html("p", {}, [`${panel.title}; ${map.x_label} ${short(middle(c))}, ${map.y_label} ${short(low + (high - low) * middle(r))}: ${map.value_label} ${Number((cells[r][c] * map.darkest).toPrecision(2))}`]));
        if (document.activeElement === box) this.said.textContent = this.tip.innerText;
      };
      const leave = () => {
        place = null;
        frame.setAttribute("visibility", "hidden");
        this.tip.replaceChildren();
      };
      const within = (v) => Math.min(size - 1, Math.max(0, Math.floor(v)));
      const point = (event) => {
        const rect = root.getBoundingClientRect();
        const unit = rect.width / (left + side + 8);
        show(within(size * (1 - ((event.clientY - rect.top) / unit - top) / side)), within((size * ((event.clientX - rect.left) / unit - left)) / side));
      };
      const turn = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
      box.addEventListener("pointermove", point);
      box.addEventListener("pointerdown", point);
      box.addEventListener("pointerleave", leave);
      box.addEventListener("blur", leave);
      box.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return leave();
        if (!turn[event.key]) return;
        event.preventDefault();
        const [r, c] = place || [0, 0];
        show(within(r + (place ? turn[event.key][0] : 0)), within(c + (place ? turn[event.key][1] : 0)));
      });
      return box;
    }
  }
  return { Chart, HeatMap };
})();
