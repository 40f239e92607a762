//! Whether a stream has what the regret theorems assume. Finding out means solving programs, so it is given
//! to reports; here it becomes a table.

use super::{Cell, ReportTable};

/// One setting of Algorithm 1 on one stream that is given by its law, and whether what its theorem assumes
/// holds there. Gaps and regrets are per round.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumption {
    /// Stream, swept settings and policy, for a reader.
    pub label: String,
    /// Name of the stream.
    pub stream: String,
    /// Name of the policy.
    pub policy: String,
    /// Of the ball; none without one.
    pub radius: Option<f64>,
    /// Minimizability gap of the constrained hinge over the ball.
    pub gap: f64,
    /// Its primal-dual certificate is tight.
    pub certified: bool,
    /// True regret of the hinge optimum against the best action of each round.
    pub optimum_regret: f64,
    /// Upper end of the minimizability gap of the true loss.
    pub true_gap: f64,
    /// Smallest normalized score of a best action.
    pub concentration: f64,
    /// Whether every round is concentrated enough for the horizon.
    pub concentrated: bool,
    /// Everything the theorem behind its rates assumes.
    pub holds: bool,
}

/// The hypotheses of every setting.
pub(crate) fn table(found: &[Assumption]) -> ReportTable {
    let columns = [
        "stream and policy",
        "B",
        "hinge gap per round",
        "certified",
        "regret per round of the hinge optimum",
        "true-loss gap per round",
        "smallest s-bar(y_max)",
        "concentrated at T",
    ];
    let yes = |holds: bool| Cell::text(if holds { "yes" } else { "no" });
    let row = |a: &Assumption| {
        vec![
            Cell::text(&a.label),
            a.radius.map_or(Cell::text("none"), |b| Cell::number(b, 2)),
            Cell::number(a.gap, 6),
            yes(a.certified),
            Cell::number(a.optimum_regret, 6),
            Cell::number(a.true_gap, 6),
            Cell::number(a.concentration, 6),
            yes(a.concentrated),
        ]
    };
    ReportTable {
        id: "hypotheses".into(),
        caption: "What the theorems assume, computed from the law of the stream: the minimizability gap of the constrained hinge over the ball (with its certificate), what the best matrix for the hinge loses in true loss, how far the best fixed matrix is from the best action of each round (0: the regret shown is the regret), and the concentration of scores.".into(),
        columns: columns.map(String::from).into(),
        rows: found.iter().map(row).collect(),
    }
}
