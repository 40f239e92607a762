//! The phase diagram of the audit: panels of coloured cells with a curve and marks on them, as SVG and as
//! the data from which the page draws it.

use crate::escape::svg as escaped;
use crate::schema::{HeatMap, MapPanel};
use std::fmt::Write;

/// One panel; cells run over availability (across, from 0 to 1) and label noise (up, from 0 to 1/2).
#[derive(Clone, Debug, PartialEq)]
pub struct PhasePanel {
    /// Above it.
    pub title: String,
    /// `cells[row][column]`: the true regret per round; row 0 at the bottom.
    pub cells: Vec<Vec<f64>>,
    /// Points of the boundary, both coordinates in `[0, 1]` of the axes.
    pub boundary: Vec<(f64, f64)>,
    /// Named points, likewise.
    pub marks: Vec<(f64, f64, &'static str)>,
}

/// The diagram as SVG, and the same as JSON.
#[must_use]
pub fn phase_diagram(panels: &[PhasePanel]) -> [String; 2] {
    let json = serde_json::to_string(&map(panels)).expect("plain data") + "\n";
    [draw(panels), json]
}

/// Above the diagram.
const TITLE: &str = "True regret per round of the constrained hinge's optimum";

/// Ends of the vertical axis.
const NOISE: (f64, f64) = (0.0, 0.5);

/// The regret that the darkest colour stands for.
const DARKEST: f64 = 0.25;

/// Panels in a row.
const COLUMNS: usize = 3;

const SIDE: f64 = 200.0;
const GAP: f64 = 56.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 64.0;
const LEVELS: f64 = 16.0;

/// White to dark blue through light blue: lightness falls steadily, also in grey.
fn colour(level: f64) -> String {
    let channel = |from: f64, to: f64| (from + (to - from) * level).round() as u8;
    format!("#{:02x}{:02x}{:02x}", channel(255.0, 8.0), channel(255.0, 48.0), channel(255.0, 107.0))
}

/// The diagram as data, from which the page draws it in its own colours.
fn map(panels: &[PhasePanel]) -> HeatMap {
    let panel = |panel: &PhasePanel| MapPanel {
        title: panel.title.clone(),
        rows: panel
            .cells
            .iter()
            .map(|row| row.iter().map(|&cell| digits(cell / DARKEST)).collect())
            .collect(),
        boundary: panel.boundary.iter().map(|&(x, y)| (short(x), short(y))).collect(),
        marks: panel.marks.iter().map(|&(x, y, name)| (x, y, name.to_owned())).collect(),
    };
    HeatMap {
        id: "phase".into(),
        title: TITLE.into(),
        x_label: X_LABEL.into(),
        y_label: Y_LABEL.into(),
        y_range: NOISE,
        value_label: "regret per round".into(),
        darkest: DARKEST,
        panels: panels.iter().map(panel).collect(),
    }
}

const X_LABEL: &str = "availability of the expert";
const Y_LABEL: &str = "label noise";

/// A share as two digits of base 36.
fn digits(share: f64) -> String {
    const LARGEST: f64 = 1295.0;
    let value = (share.clamp(0.0, 1.0) * LARGEST).round() as u32;
    let digit = |d: u32| char::from_digit(d, 36).expect("below 36");
    [digit(value / 36), digit(value % 36)].into_iter().collect()
}

/// Enough digits for a place in a panel.
fn short(v: f64) -> f64 {
    (v * 1e4).round() / 1e4
}

/// Panels in rows of [`COLUMNS`].
fn draw(panels: &[PhasePanel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let width = LEFT + COLUMNS as f64 * (SIDE + GAP) + 50.0;
    let height = TOP + rows as f64 * (SIDE + GAP + 12.0) + 20.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"16\">{TITLE}</text>\n"
    );
    for (i, panel) in panels.iter().enumerate() {
        let x = LEFT + (i % COLUMNS) as f64 * (SIDE + GAP);
        let y = TOP + (i / COLUMNS) as f64 * (SIDE + GAP + 12.0);
        one(&mut svg, panel, (x, y));
    }
    let x = LEFT + COLUMNS as f64 * (SIDE + GAP) - 24.0;
    for level in 0..=LEVELS as usize {
        let share = level as f64 / LEVELS;
        let y = TOP + SIDE * (1.0 - share) - SIDE / LEVELS / 2.0;
        let (h, fill) = (SIDE / LEVELS + 0.5, colour(share));
        add(
            &mut svg,
            format!(
                "<rect x=\"{x}\" y=\"{y:.1}\" width=\"14\" height=\"{h:.1}\" fill=\"{fill}\"/>"
            ),
        );
    }
    for share in [0.0, 0.5, 1.0] {
        let (x, y) = (x + 19.0, TOP + SIDE * (1.0 - share) + 4.0);
        let value = DARKEST * share;
        add(&mut svg, format!("<text x=\"{x}\" y=\"{y:.1}\" font-size=\"11\">{value:.2}</text>"));
    }
    svg + "</svg>\n"
}

fn add(svg: &mut String, text: String) {
    svg.push_str(&text);
    svg.push('\n');
}

/// A panel at its place on the sheet.
struct Placed<'a> {
    panel: &'a PhasePanel,
    x0: f64,
    y0: f64,
}

fn one(svg: &mut String, panel: &PhasePanel, (x0, y0): (f64, f64)) {
    let title = escaped(&panel.title);
    add(svg, format!("<text x=\"{x0}\" y=\"{:.1}\" font-size=\"12\">{title}</text>", y0 - 8.0));
    let placed = Placed { panel, x0, y0 };
    placed.cells(svg);
    placed.boundary(svg);
    placed.marks(svg);
    add(
        svg,
        format!(
            "<rect x=\"{x0}\" y=\"{y0}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#333\"/>"
        ),
    );
    placed.ticks(svg);
    placed.axis_labels(svg);
}

impl Placed<'_> {
    /// Where a point of the panel is on the sheet.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.x0 + SIDE * x, self.y0 + SIDE * (1.0 - y))
    }

    fn cells(&self, svg: &mut String) {
        let rows = self.panel.cells.len();
        // All cells of one colour are one path: a third of the bytes.
        let mut paths: Vec<(String, String)> = Vec::new();
        for (r, row) in self.panel.cells.iter().enumerate() {
            let h = SIDE / rows as f64;
            let y = self.y0 + SIDE - (r + 1) as f64 * h;
            let w = SIDE / row.len() as f64;
            let level = |c: usize| ((row[c] / DARKEST).clamp(0.0, 1.0) * LEVELS).round() / LEVELS;
            // Neighbours of one colour are one rectangle.
            let mut start = 0;
            for c in 1..=row.len() {
                if c < row.len() && level(c) == level(start) {
                    continue;
                }
                if level(start) > 0.0 {
                    let (x, wide) = (self.x0 + start as f64 * w, (c - start) as f64 * w + 0.4);
                    let (fill, tall) = (colour(level(start)), h + 0.4);
                    let cell = format!("M{x:.1} {y:.1}h{wide:.1}v{tall:.1}h-{wide:.1}z");
                    match paths.iter_mut().find(|(known, _)| *known == fill) {
                        Some((_, path)) => path.push_str(&cell),
                        None => paths.push((fill, cell)),
                    }
                }
                start = c;
            }
        }
        for (fill, path) in paths {
            add(svg, format!("<path fill=\"{fill}\" d=\"{path}\"/>"));
        }
    }

    fn boundary(&self, svg: &mut String) {
        let mut path = String::new();
        for (i, &point) in self.panel.boundary.iter().enumerate() {
            let (x, y) = self.at(point);
            write!(path, "{}{x:.1} {y:.1} ", if i == 0 { "M" } else { "L" }).expect("a string");
        }
        if !path.is_empty() {
            add(
                svg,
                format!(
                    "<path d=\"{path}\" fill=\"none\" stroke=\"#D55E00\" stroke-width=\"2.2\"/>"
                ),
            );
        }
    }

    fn marks(&self, svg: &mut String) {
        for &(x, y, name) in &self.panel.marks {
            let (x, y) = self.at((x, y));
            add(
                svg,
                format!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"white\" stroke=\"black\" stroke-width=\"1.6\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\">{}</text>",
                    x + 8.0,
                    y + 4.0,
                    escaped(name)
                ),
            );
        }
    }

    fn ticks(&self, svg: &mut String) {
        let (low, high) = NOISE;
        for share in [0.0, 0.5, 1.0] {
            let (x, y) = self.at((share, 0.0));
            add(
                svg,
                format!(
                    "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\">{share}</text>",
                    y + 14.0
                ),
            );
            let (x, y) = self.at((0.0, share));
            let value = low + (high - low) * share;
            add(
                svg,
                format!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"end\">{value:.2}</text>",
                    x - 5.0,
                    y + 4.0
                ),
            );
        }
    }

    fn axis_labels(&self, svg: &mut String) {
        let (x, y) = self.at((0.5, 0.0));
        add(
            svg,
            format!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\">{X_LABEL}</text>",
                y + 28.0
            ),
        );
        let (x, y) = self.at((0.0, 0.5));
        let x = x - 36.0;
        add(
            svg,
            format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"11\" text-anchor=\"middle\" transform=\"rotate(-90 {x:.1} {y:.1})\">{Y_LABEL}</text>"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_become_two_digits() {
        for (share, text) in
            [(0.0, "00"), (1.0, "zz"), (2.0, "zz"), (0.5, "i0"), (1.0 / 1295.0, "01")]
        {
            assert_eq!(digits(share), text);
        }
    }
}
