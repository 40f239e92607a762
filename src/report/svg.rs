//! Figures as SVG. Colours are Okabe and Ito's without the yellow that white paper swallows; every
//! line also has a dash of its own, so that grey prints and colour-blind readers lose nothing.

use super::{Exporter, Figure, Line, Report, Style};
use kuva::plot::legend::LegendPosition;
use kuva::plot::{LinePlot, LineStyle};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use std::sync::Arc;

/// `figure-ID.svg`.
pub struct Svg;

impl Exporter for Svg {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let one = |figure: &Figure| (format!("figure-{}.svg", figure.id), draw(figure));
        report.figures.iter().map(one).collect()
    }
}

const COLOURS: [&str; 6] = ["#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9"];
const DASHES: [&str; 6] = ["", "7 3", "2 2", "10 3 2 3", "5 2", "1 3"];
const GREYS: [&str; 3] = ["#555555", "#888888", "#555555"];
const GREY_DASHES: [&str; 3] = ["12 4", "3 4", "12 4 3 4"];

fn draw(figure: &Figure) -> String {
    let plots: Vec<Plot> =
        figure.lines.iter().map(|line| Plot::Line(plot(line, figure.log))).collect();
    let mut layout = Layout::auto_from_plots(&plots)
        .with_width(760.0)
        .with_height(430.0)
        .with_title(&figure.title)
        .with_x_label(&figure.x_label)
        .with_y_label(&figure.y_label)
        .with_title_size(17)
        .with_label_size(14)
        .with_tick_size(12)
        .with_body_size(12)
        .with_legend_position(LegendPosition::OutsideBottomColumns);
    if figure.log {
        let power = |v: f64| format!("1e{}", libm::log10(v).round());
        layout = layout.with_log_scale().with_tick_format(TickFormat::Custom(Arc::new(power)));
    } else {
        layout = layout.with_x_axis_min(0.0);
    }
    if let Some((low, high)) = figure.y_range {
        layout = layout.with_y_axis_min(low).with_y_axis_max(high);
    }
    kuva::render_to_svg(plots, layout) + "\n"
}

fn plot(line: &Line, log: bool) -> LinePlot {
    let (colour, dash, width) = match line.style {
        Style::Data(i) => (COLOURS[i % COLOURS.len()], DASHES[i % DASHES.len()], 2.0),
        Style::Reference(i) => (GREYS[i % GREYS.len()], GREY_DASHES[i % GREY_DASHES.len()], 1.3),
    };
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
        .with_line_style(style)
        .with_legend(&line.label);
    if let Some(band) = &line.band {
        let floor = |i: usize, v: f64| if log { v.max(line.y[i] / 10.0) } else { v };
        let low: Vec<f64> = kept.iter().map(|&i| floor(i, band[i].0)).collect();
        let high: Vec<f64> = kept.iter().map(|&i| band[i].1).collect();
        plot = plot.with_band(low, high);
    }
    plot
}
