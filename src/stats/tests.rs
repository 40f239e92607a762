use super::*;
use problem::prec;

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 2e-6
}

#[test]
fn statistics_by_hand() {
    assert_eq!(mean_sd(&[1.0, 2.0, 3.0]), (2.0, Some(1.0)));
    assert_eq!(mean_sd(&[4.0]), (4.0, None));
    assert!(mean(&[]).is_nan());
    let x = [1.0, 10.0, 100.0, 1000.0];
    let y = x.map(|x: f64| 3.0 * libm::pow(x, 0.625));
    assert!((log_slope(&x, &y).unwrap() - 0.625).abs() < 1e-14);
    assert!(log_slope(&x, &[0.0, -1.0, 1.0, 0.0]).is_none());
    assert_eq!(mean_curve(&[vec![1.0, 2.0], vec![3.0, 6.0]]), [2.0, 4.0]);
}

/// Quantiles with closed forms: one degree of freedom is Cauchy's law, two have
/// `t = a sqrt(2 / (1 - a^2))` with `a = 1 - outside`.
#[test]
fn quantiles_are_those_of_the_formulas() {
    for outside in [0.5, 0.1, 0.05, 1e-3, 1e-6] {
        let cauchy = 1.0 / libm::tan(std::f64::consts::FRAC_PI_2 * outside);
        assert!(close(student_t(1, outside), cauchy), "{outside}");
        let a = 1.0 - outside;
        let two = a * (2.0 / (outside * (2.0 - outside))).sqrt();
        assert!(close(student_t(2, outside), two), "{outside}");
        let tail = libm::erfc(normal(outside) / std::f64::consts::SQRT_2);
        assert!((tail / outside - 1.0).abs() < 1e-4, "{outside}: {tail}");
    }
    // Printed tables of t and z.
    let printed = [(4, 0.05, 2.77645), (15, 0.05, 2.13145), (30, 0.01, 2.75), (9, 0.05, 2.26216)];
    for (freedom, outside, t) in printed {
        assert_eq!(student_t(freedom, outside), t);
    }
    assert_eq!(normal(0.05), 1.95996);
    assert_eq!(student_t(0, 0.05), f64::INFINITY);
    assert_eq!(student_t(4, 0.0), f64::INFINITY);
}

/// What the promise of the same bits rests on: no quantile in use stands so close to where rounding
/// goes the other way that another machine's logarithm could push it over.
#[test]
fn quantiles_are_far_from_where_rounding_turns() {
    for outside in [prec::INTERVAL_OUTSIDE, prec::AUDIT_FALSE_ALARM] {
        for freedom in 1..=64 {
            let exact =
                -StudentsT::new(0.0, 1.0, freedom as f64).unwrap().inverse_cdf(outside / 2.0);
            for moved in [exact * (1.0 - 1e-9), exact * (1.0 + 1e-9)] {
                assert_eq!(rounded(moved), rounded(exact), "{freedom} {outside} {exact}");
            }
        }
    }
}

#[test]
fn shares_have_the_intervals_of_the_binomial_law() {
    // Closed forms at the ends: 1 - (outside/2)^(1/n).
    let (low, high) = share_interval(0, 10, 0.05);
    assert!(low == 0.0 && close(high, 1.0 - libm::pow(0.025, 0.1)));
    let (low, high) = share_interval(10, 10, 0.05);
    assert!(high == 1.0 && close(low, libm::pow(0.025, 0.1)));
    // Printed: 5 of 10 is [0.187086, 0.812914].
    let (low, high) = share_interval(5, 10, 0.05);
    assert!(close(low, 0.187_086) && close(high, 0.812_914), "{low} {high}");
    assert_eq!(share_interval(0, 0, 0.05), (0.0, 1.0));
    assert_eq!(share_interval(3, 2, 0.05), (0.0, 1.0));
    // Summed term by term by another program, to six digits.
    let (low, high) = share_interval(22_387, 50_000, 1e-6);
    assert!((low - 0.436_87).abs() < 1e-9 && (high - 0.458_644).abs() < 1e-9, "{low} {high}");
    // Many rounds: the normal approximation is good to a few parts in a thousand of the width.
    let (k, n) = (222_222u64, 500_000u64);
    let (low, high) = share_interval(k, n, 1e-6);
    let p = k as f64 / n as f64;
    let half = normal(1e-6) * (p * (1.0 - p) / n as f64).sqrt();
    assert!((low - (p - half)).abs() < 0.01 * half, "{low}");
    assert!((high - (p + half)).abs() < 0.01 * half, "{high}");
}

/// The tails of the binomial law at the ends of the interval, summed term by term.
#[test]
fn the_ends_of_a_share_leave_half_of_what_may_be_outside() {
    let (k, n, outside) = (7u64, 30u64, 0.05);
    let choose = |j: u64| (0..j).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
    let term = |p: f64, j: u64| choose(j) * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32);
    let (low, high) = share_interval(k, n, outside);
    let above: f64 = (k..=n).map(|j| term(low, j)).sum();
    let below: f64 = (0..=k).map(|j| term(high, j)).sum();
    assert!((above - 0.025).abs() < 1e-5 && (below - 0.025).abs() < 1e-5, "{above} {below}");
}

#[test]
fn the_jackknife_of_a_mean_is_students_interval() {
    let values = [3.0, 1.0, 4.0, 1.5, 9.25];
    let curves: Vec<Vec<f64>> = values.iter().map(|&v| vec![v]).collect();
    let (low, high) = mean_interval(&values, 0.05).unwrap();
    let (a, b) = jackknife_interval(&curves, 0.05, |m| Some(m[0])).unwrap();
    assert!((a - low).abs() < 1e-12 && (b - high).abs() < 1e-12);
    assert_eq!(mean_interval(&[1.0], 0.05), None);
    assert_eq!(jackknife_interval(&curves[..1], 0.05, |m| Some(m[0])), None);
    assert_eq!(jackknife_interval(&curves, 0.05, |_| None), None);
}

/// Five normal values: the interval must hold the truth in 95 % of many trials.
#[test]
fn five_runs_are_covered_as_promised() {
    // Sums of twelve uniform numbers from a linear congruential generator: near enough normal.
    let mut state = 1u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let trials = 20_000;
    let covered = (0..trials)
        .filter(|_| {
            let values: Vec<f64> = (0..5).map(|_| normal()).collect();
            mean_interval(&values, 0.05).is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high)
        })
        .count();
    // 0.95 +- five standard errors of 20,000 trials.
    let share = covered as f64 / f64::from(trials);
    assert!((share - 0.95).abs() < 0.0078, "{share}");
}
