//! Expert accuracies against the way experts are said to answer: right on their region, a uniform
//! guess over the `n` classes elsewhere.
//!
//! ```text
//! accuracy = share of the region + (1 - share) / n
//! ```

use super::published::{CIFAR10H, REUTERS4, SYNTHETIC, percent};
use super::{Finding, Interval, Reading, Subject};
use problem::prec;

pub(super) fn findings() -> Vec<Finding> {
    vec![
        synthetic("synthetic-expert-1", SYNTHETIC[0]),
        synthetic("synthetic-expert-2", SYNTHETIC[1]),
        synthetic_guess(),
        reuters4_partition(),
        cifar10h_region(),
    ]
}

/// Accuracy when the region has this share and the rest is guessed among `guesses` labels.
fn accuracy(share: Interval, guesses: f64) -> Interval {
    share.scaled(1.0 - 1.0 / guesses) + Interval::exact(1.0 / guesses)
}

/// `expected`, widened by the deviation of a mean over `rounds` rounds that chance exceeds with
/// probability at most [`prec::AUDIT_FALSE_ALARM`] (Hoeffding).
fn with_chance(expected: Interval, rounds: f64) -> Interval {
    expected.widened((libm::log(2.0 / prec::AUDIT_FALSE_ALARM) / (2.0 * rounds)).sqrt())
}

/// Rounds over which the synthetic tables average: 100,000, in each of five runs. The paper does
/// not state the horizon; this is the one of its drift.
const ROUNDS: f64 = 100_000.0;

fn synthetic(id: &'static str, value: f64) -> Finding {
    let published = percent(value);
    let region = accuracy(Interval::exact(2.0 / 6.0), 6.0);
    let mut readings = vec![
        Reading::new("one run instead of five", with_chance(region, ROUNDS), published),
        Reading::new(
            "guesses among 5 labels",
            accuracy(Interval::exact(1.0 / 3.0), 5.0),
            published,
        ),
        Reading::new("region of one cluster", accuracy(Interval::exact(1.0 / 6.0), 6.0), published),
        Reading::new("region of three clusters", accuracy(Interval::exact(0.5), 6.0), published),
    ];
    for rounds in [50_000.0, 20_000.0, 10_000.0] {
        let name = format!("a mean over {rounds} rounds in all");
        readings.push(Reading::new(name, with_chance(region, rounds), published));
    }
    // A fixed data set may have clusters of unequal size; 1/3 +- 1/60 allows 5% either way.
    let uneven =
        accuracy(Interval { low: 1.0 / 3.0 - 1.0 / 60.0, high: 1.0 / 3.0 + 1.0 / 60.0 }, 6.0);
    readings.push(Reading::new(
        "clusters up to 5 % larger or smaller than uniform",
        uneven,
        published,
    ));
    Subject {
        id,
        reference: "App. G.2, expert tables of settings 1 and 2",
        statement: "an expert that knows two of six equally likely clusters and guesses among six \
                    labels elsewhere is right in 4 of 9 rounds",
        formula: "1/3 + (2/3)(1/6), widened by chance over 5 x 100,000 rounds",
        remark: "settings 1 and 2 print the same three numbers to four digits, so both probably \
                 describe one set of expert answers",
    }
    .finding(with_chance(region, 5.0 * ROUNDS), published, readings)
}

fn synthetic_guess() -> Finding {
    let published = percent(SYNTHETIC[2]);
    let guess = |labels: f64| with_chance(Interval::exact(1.0 / labels), 5.0 * ROUNDS);
    let readings = vec![
        Reading::new("guesses among 5 labels", guess(5.0), published),
        Reading::new("guesses among 7 labels", guess(7.0), published),
    ];
    Subject {
        id: "synthetic-expert-3",
        reference: "App. G.2, expert tables of settings 1 and 2",
        statement: "an expert that guesses among six labels is right in one of six rounds",
        formula: "1/6, widened by chance over 5 x 100,000 rounds",
        remark: "so the guesses do cover all six labels",
    }
    .finding(guess(6.0), published, readings)
}

/// Experts 1 and 3 know complementary halves of the four classes, so their shares add to one.
fn reuters4_partition() -> Finding {
    let [first, second, third] = REUTERS4.map(percent);
    let published = first + third;
    let sum = |guesses: f64| Interval::exact(1.0 + 1.0 / guesses);
    let mut readings: Vec<Reading> = [2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 10.0]
        .into_iter()
        .map(|guesses| {
            Reading::new(format!("guesses among {guesses} labels"), sum(guesses), published)
        })
        .collect();
    for rounds in [10_000.0, 1_000.0] {
        let name = format!("a mean over {rounds} rounds only");
        readings.push(Reading::new(name, with_chance(sum(4.0), rounds), published));
    }
    // Right with probability h where they know: the sum is h + 1/4.
    let erring = Interval { low: 0.9 + 0.25, high: 1.25 };
    readings.push(Reading::new("right in 90 to 100 % of the region", erring, published));
    readings.push(shifted_coding([first, second, third], published));
    Subject {
        id: "reuters4-partition",
        reference: "App. G.3, expert tables of settings 1 and 2",
        statement: "experts 1 and 3 know {1,2} and {3,4}. Together that is every class once, so \
                    their accuracies add up to 1 + 1/4, whatever the class shares are",
        formula: "(share + (1 - share)/4) + ((1 - share) + share/4) = 5/4",
        remark: "no class shares make the table fit the stated regions. With the shifted coding \
                 the implied shares of labels 0 to 3 are possible",
    }
    .finding(with_chance(sum(4.0), ROUNDS), published, readings)
}

/// Labels `0..3` in the code and the regions `{j, j+1}` taken literally: expert 3 knows label 3
/// alone. It fits if the shares it implies can all be shares.
fn shifted_coding(accuracies: [Interval; 3], published: Interval) -> Reading {
    let share = |a: Interval| (a - Interval::exact(0.25)).scaled(1.0 / 0.75);
    let [s12, s23, s3] = accuracies.map(share);
    let s2 = s23 - s3;
    let shares = [Interval::exact(1.0) - s12 - s3, s12 - s2, s2, s3];
    let lowest = shares.iter().map(|s| s.high).fold(f64::INFINITY, f64::min);
    let implied = shares.map(|s| format!("{:.3}", s.middle())).join(", ");
    let name = format!(
        "labels coded 0..3, regions {{j, j+1}} taken literally: expert 3 knows label 3 alone \
         (implied shares of labels 0 to 3: {implied})"
    );
    Reading { name, expected: published, fits: lowest >= 0.0, misses_by: (-lowest).max(0.0) }
}

/// Four of ten labels known by people who are right with some probability, one in ten elsewhere.
fn cifar10h_region() -> Finding {
    let human = Interval { low: 0.9, high: 1.0 };
    let expected = human.scaled(0.4) + Interval::exact(0.6 / 10.0);
    let [a, b, c] = CIFAR10H.map(|v| Interval::rounded(v, 3));
    let published =
        Interval { low: a.low.min(b.low).min(c.low), high: a.high.max(b.high).max(c.high) };
    let readings = vec![
        Reading::new("always wrong outside the region", human.scaled(0.4), published),
        Reading::new(
            "guesses among 9 other labels",
            human.scaled(0.4) + Interval::exact(0.6 / 9.0),
            published,
        ),
    ];
    Subject {
        id: "cifar10h-regions",
        reference: "App. G.4, table of expert accuracies",
        statement: "experts who know four of ten labels, are right there with probability 0.9 to 1 \
                    and guess elsewhere are right in 42 to 46 % of the rounds",
        formula: "0.4 h + 0.6/10 with h in [0.9, 1]",
        remark: "the range of h is an assumption; the people behind CIFAR10H are right in about 95 %",
    }
    .finding(expected, published, readings)
}
