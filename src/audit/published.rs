//! The numbers as printed, with the digits they were printed with.

use super::Interval;
use serde::Serialize;

/// Expert accuracies of the synthetic settings 1 and 2 (App. G.2), in percent.
pub(crate) const SYNTHETIC: [f64; 3] = [45.55, 45.58, 16.66];

/// Expert accuracies of the Reuters4 settings 1 and 2 (App. G.3), in percent.
pub(crate) const REUTERS4: [f64; 3] = [62.21, 61.09, 50.01];

/// Expert accuracies on CIFAR10H after noise (App. G.4).
pub(crate) const CIFAR10H: [f64; 3] = [0.445, 0.443, 0.432];

/// A percentage printed with two decimals, as a share.
#[must_use]
pub(crate) fn percent(value: f64) -> Interval {
    Interval::rounded(value, 2).scaled(0.01)
}

/// How near a mean over our runs must come to a number of the CIFAR10H table to count as the same. The
/// paper prints no spread there; the mean loss of our nearest reading varies about so much over its runs.
pub const CIFAR10H_NEAR: f64 = 0.02;

/// One column of the CIFAR10H result table, four decimals throughout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cifar10hColumn {
    /// Whose column.
    pub policy: &'static str,
    /// Mean deferral loss.
    pub loss: f64,
    /// Mean accuracy of the final answer.
    pub accuracy: f64,
    /// Accuracy of each expert on the rounds it was asked.
    pub queried: [f64; 3],
    /// Share of rounds in which each expert was asked.
    pub ratio: [f64; 3],
}

impl Cifar10hColumn {
    /// Our method.
    pub(crate) const OURS: Cifar10hColumn = Cifar10hColumn {
        policy: "our method",
        loss: 0.3953,
        accuracy: 0.6519,
        queried: [0.7253, 0.7967, 0.5764],
        ratio: [0.3233, 0.2266, 0.3981],
    };

    /// The confidence baseline.
    pub(crate) const BASELINE: Cifar10hColumn = Cifar10hColumn {
        policy: "baseline",
        loss: 0.4133,
        accuracy: 0.6145,
        queried: [0.4228, 0.3454, 0.4291],
        ratio: [0.1843, 0.1850, 0.1847],
    };

    /// A number of this column as an interval.
    #[must_use]
    pub(crate) fn interval(value: f64) -> Interval {
        Interval::rounded(value, 4)
    }
}

/// The CIFAR10H result table: the column of the method, and that of the confidence baseline.
pub const CIFAR10H_RESULTS: [Cifar10hColumn; 2] = [Cifar10hColumn::OURS, Cifar10hColumn::BASELINE];

/// Everything that was published and is used here, for reports.
#[must_use]
pub fn published_tables() -> serde_json::Value {
    serde_json::json!({
        "synthetic_expert_accuracy_percent": SYNTHETIC,
        "reuters4_expert_accuracy_percent": REUTERS4,
        "cifar10h_expert_accuracy": CIFAR10H,
        "cifar10h_results": CIFAR10H_RESULTS,
    })
}
