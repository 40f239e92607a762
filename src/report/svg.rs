//! Figures as SVG. Colours are Okabe and Ito's without the yellow that white paper swallows; every
//! line also has a dash of its own, so that grey prints and colour-blind readers lose nothing.

use super::escape::{drawn, svg};
use super::schema::Style;
use super::{Exporter, Figure, Line, Report};
use kuva::plot::{LinePlot, LineStyle, ScatterPlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use std::sync::Arc;

/// `figure-ID.svg`.
pub(crate) struct Svg;

impl Exporter for Svg {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let one = |figure: &Figure| (format!("figure-{}.svg", figure.id), draw(figure));
        report.figures.iter().map(one).collect()
    }
}

const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9"];
const DASHES: [&str; 6] = ["", "7 3", "2 2", "10 3 2 3", "5 2", "1 3"];
const GREY: &str = "#666666";
const GREY_DASHES: [&str; 7] =
    ["3 3", "1 3", "6 2 1 2", "14 4", "14 4 3 4", "24 3", "10 3 2 3 2 3"];

const WIDTH: usize = 760;
const HEIGHT: usize = 400;

pub(super) fn draw(figure: &Figure) -> String {
    let mut plots: Vec<Plot> =
        figure.lines.iter().map(|line| Plot::Line(plot(line, figure.log))).collect();
    plots.extend(figure.lines.iter().filter_map(marks));
    let mut layout = Layout::auto_from_plots(&plots)
        .with_width(WIDTH as f64)
        .with_height(HEIGHT as f64)
        .with_title(drawn(&figure.title))
        .with_x_label(drawn(&figure.x_label))
        .with_y_label(drawn(&figure.y_label))
        .with_title_size(17)
        .with_label_size(14)
        .with_tick_size(12)
        .with_body_size(12);
    if figure.log {
        let power = |v: f64| format!("1e{}", libm::log10(v).round());
        layout = layout.with_log_scale().with_tick_format(TickFormat::Custom(Arc::new(power)));
    } else {
        layout = layout.with_x_axis_min(0.0);
    }
    if let Some((low, high)) = figure.y_range {
        layout = layout.with_y_axis_min(low).with_y_axis_max(high);
    }
    let image = without_counters(&kuva::render_to_svg(plots, layout));
    with_legend(&image, &figure.lines)
}

/// The plotting crate numbers its clip paths over the life of the process; a figure must not depend
/// on how many were drawn before it.
fn without_counters(svg: &str) -> String {
    const NAME: &str = "kuva-clip-";
    let mut parts = svg.split(NAME);
    let mut out = parts.next().unwrap_or_default().to_string();
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let id = seen.iter().position(|s| *s == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        out += &format!("clip-{id}{rest}");
    }
    out
}

/// Colour, dash and width of a line.
fn pen(style: Style) -> (&'static str, &'static str, f64) {
    match style {
        // The seventh line has the first colour again, with another dash.
        Style::Data(i) | Style::Marked(i) => {
            (COLOURS[i % COLOURS.len()], DASHES[(i + i / COLOURS.len()) % DASHES.len()], 2.0)
        }
        Style::Reference(i) => (GREY, GREY_DASHES[i % GREY_DASHES.len()], 1.3),
    }
}

/// A legend below the plot, in columns, with samples long enough to show the dash; the plotting
/// crate's own are too short to be told apart in grey.
fn with_legend(image: &str, lines: &[Line]) -> String {
    let (sample, gap, left, row_height) = (46, 8, 40, 20);
    let longest = lines.iter().map(|line| line.label.chars().count()).max().unwrap_or(0);
    let column = sample + gap + 13 * longest / 2 + 20;
    let columns = ((WIDTH - left) / column).clamp(1, lines.len().max(1));
    let height = HEIGHT + row_height * lines.len().div_ceil(columns) + 12;
    let mut legend = String::new();
    for (i, line) in lines.iter().enumerate() {
        let (x, y) = (left + i % columns * column, HEIGHT + 6 + i / columns * row_height);
        let (colour, dash, width) = pen(line.style);
        let dash = if dash.is_empty() { "none" } else { dash };
        let label = svg(&line.label);
        legend += &format!(
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dash}\"/><text x=\"{}\" y=\"{}\" font-size=\"12\">{label}</text>",
            x + sample,
            x + sample + gap,
            y + 4
        );
    }
    let taller =
        image.replacen(&format!("height=\"{HEIGHT}\""), &format!("height=\"{height}\""), 1);
    taller.trim_end().trim_end_matches("</svg>").to_string() + &legend + "</svg>\n"
}

/// A mark at every point of a marked line: one of a single point could not be seen otherwise.
fn marks(line: &Line) -> Option<Plot> {
    let Style::Marked(_) = line.style else { return None };
    let points = line.x.iter().copied().zip(line.y.iter().copied());
    let (colour, ..) = pen(line.style);
    Some(Plot::Scatter(ScatterPlot::new().with_data(points).with_color(colour).with_size(4.0)))
}

fn plot(line: &Line, log: bool) -> LinePlot {
    let (colour, dash, width) = pen(line.style);
    let style = match dash {
        "" => LineStyle::Solid,
        dash => LineStyle::Custom(dash.into()),
    };
    // Nothing below the smallest positive number can be drawn on a logarithmic axis.
    let seen = |y: f64| !log || y > 0.0;
    let kept: Vec<usize> = (0..line.x.len()).filter(|&i| seen(line.y[i])).collect();
    let mut plot = LinePlot::new()
        .with_data(kept.iter().map(|&i| (line.x[i], line.y[i])))
        .with_color(colour)
        .with_stroke_width(width)
        .with_line_style(style);
    if let Some(band) = &line.band {
        let floor = |i: usize, v: f64| if log { v.max(line.y[i] / 10.0) } else { v };
        let low: Vec<f64> = kept.iter().map(|&i| floor(i, band[i].0)).collect();
        let high: Vec<f64> = kept.iter().map(|&i| band[i].1).collect();
        plot = plot.with_band(low, high);
    }
    plot
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No label ends an element, starts another or holds what XML forbids.
    #[test]
    fn hostile_labels_are_only_text() {
        let hostile = "</text><script>x</script> & \"q\" \u{1b}[31m\u{0}";
        let figure = Figure {
            id: "f".into(),
            title: hostile.into(),
            caption: String::new(),
            x_label: hostile.into(),
            y_label: hostile.into(),
            log: false,
            y_range: None,
            lines: vec![Line {
                label: hostile.into(),
                style: Style::Data(0),
                x: vec![0.0, 1.0],
                y: vec![0.0, 1.0],
                band: None,
            }],
        };
        let image = draw(&figure);
        assert!(!image.contains("<script"), "{image}");
        assert!(!image.chars().any(|c| c.is_control() && c != '\n'), "{image:?}");
        assert_eq!(image.matches("&lt;script&gt;").count(), 4);
        assert_eq!(image.matches("<text").count(), image.matches("</text>").count());
    }
}
