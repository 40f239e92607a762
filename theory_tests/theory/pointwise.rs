//! Pointwise minima against searches that know nothing of how they were found.

use crate::SurrogateId;
use crate::pointwise::{calibration_gap, infimum, infimum_in_ball};
use proptest::prelude::*;

/// Scores with zeros, ties and tiny entries among ordinary ones.
fn scores() -> impl Strategy<Value = Vec<f64>> {
    let entry = prop_oneof![
        4 => 0.0f64..1.0,
        1 => Just(0.0),
        1 => Just(0.5),
        1 => (-300f64..-1.0).prop_map(libm::exp10),
    ];
    prop::collection::vec(entry, 2..7).prop_filter("some mass", |s| s.iter().sum::<f64>() > 1e-3)
}

fn surrogates() -> impl Strategy<Value = SurrogateId> {
    let alpha = prop_oneof![Just(1.0), 0.05f64..0.95];
    (0usize..10, alpha, 0.25f64..4.0)
        .prop_map(|(which, alpha, tau)| SurrogateId::all(alpha, tau).unwrap()[which])
}

fn centred(u: &[f64]) -> Vec<f64> {
    let mean = u.iter().sum::<f64>() / u.len() as f64;
    u.iter().map(|v| v - mean).collect()
}

fn norm(u: &[f64]) -> f64 {
    u.iter().map(|v| v * v).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn nothing_is_below_the_infimum_and_the_minimiser_reaches_it(
        id in surrogates(), s in scores(),
        far in prop::collection::vec(-6.0f64..6.0, 6), near in prop::collection::vec(-1.0f64..1.0, 6),
        step in prop_oneof![Just(1.0), Just(0.1), Just(1e-3)],
    ) {
        let k = s.len();
        let best = infimum(id, &s).unwrap();
        let slack = 1e-11 * (1.0 + best.value);
        prop_assert!(best.gap <= 1e-13 * (1.0 + best.value), "{id} gap {}", best.gap);
        let far = centred(&far[..k]);
        prop_assert!(id.conditional_risk(&s, &far) >= best.value - slack);
        prop_assert!(calibration_gap(id, &s, &far).unwrap() >= 0.0);
        if let Some(u) = &best.minimizer {
            prop_assert!(u.iter().sum::<f64>().abs() <= 1e-10 * (1.0 + norm(u)));
            let reached = id.conditional_risk(&s, u);
            prop_assert!((reached - best.value).abs() <= slack, "{id}: {reached} {}", best.value);
            let moved: Vec<f64> =
                u.iter().zip(centred(&near[..k])).map(|(u, v)| u + step * v).collect();
            prop_assert!(id.conditional_risk(&s, &moved) >= best.value - slack);
        } else {
            prop_assert!(!id.is_constrained() && id.piecewise().is_none());
        }
    }

    #[test]
    fn an_infimum_that_is_not_attained_is_approached(
        mut s in scores(), which in 0usize..4, alpha in 0.05f64..0.9,
    ) {
        s.push(0.0);
        let id = SurrogateId::all(alpha, 1.0).unwrap()[which];
        let best = infimum(id, &s).unwrap();
        prop_assert!(best.minimizer.is_none());
        let top = s.iter().copied().fold(0.0, f64::max);
        // What the closed forms want, with a large number in the place of infinity.
        let far = 60.0;
        let u: Vec<f64> = s.iter().map(|&v| {
            let log = if v > 0.0 { libm::log(v) } else { -2.0 * far };
            match id {
                SurrogateId::CompMae => if v == top { far } else { -far },
                SurrogateId::CompExp => log / 2.0,
                SurrogateId::CompGce { alpha } => log / (1.0 - alpha),
                _ => log,
            }
        }).collect();
        let risk = id.conditional_risk(&s, &u);
        prop_assert!((risk - best.value).abs() <= 1e-9 * (1.0 + best.value), "{id} {risk}");
    }

    #[test]
    fn a_ball_keeps_its_promise(
        s in scores(), which in 0usize..3, tau in 0.25f64..3.0, radius in 0.0f64..6.0,
        probe in prop::collection::vec(-1.0f64..1.0, 6), fill in 0.0f64..=1.0,
    ) {
        let id = [SurrogateId::CstndHinge, SurrogateId::CstndSq, SurrogateId::CstndTau { tau }][which];
        let best = infimum_in_ball(id, &s, radius).unwrap();
        let minimizer = best.minimizer.unwrap();
        let scale = 1.0 + best.value;
        prop_assert!(best.gap <= 1e-12 * scale, "{id} {s:?} {radius} gap {}", best.gap);
        prop_assert!(minimizer.iter().sum::<f64>().abs() <= 1e-12 * (1.0 + radius));
        prop_assert!(norm(&minimizer) <= radius * (1.0 + 1e-12));
        prop_assert!((id.conditional_risk(&s, &minimizer) - best.value).abs() <= 1e-13 * scale);
        prop_assert!(best.value >= infimum(id, &s).unwrap().value - 1e-12 * scale);
        let direction = centred(&probe[..s.len()]);
        let length = norm(&direction).max(1e-9);
        let other: Vec<f64> = direction.iter().map(|v| v / length * radius * fill).collect();
        prop_assert!(id.conditional_risk(&s, &other) >= best.value - 1e-11 * scale);
        let near = centred(
            &minimizer.iter().zip(&direction).map(|(u, v)| u + 0.01 * v).collect::<Vec<_>>(),
        );
        let shrink = (radius / norm(&near)).min(1.0);
        let near: Vec<f64> = near.iter().map(|v| v * shrink).collect();
        prop_assert!(id.conditional_risk(&s, &near) >= best.value - 1e-11 * scale);
    }
}

/// Three actions leave two dimensions: all of the ball can be seen.
#[test]
fn three_actions_on_a_dense_grid() {
    let (e1, e2) = ([0.5f64.sqrt(), -(0.5f64.sqrt()), 0.0], [6f64.sqrt() / 6.0; 3]);
    let e2 = [e2[0], e2[1], -2.0 * e2[2]];
    for s in [[0.5, 0.3, 0.2], [0.6, 0.4, 0.9], [0.5, 0.5, 0.1], [1.0, 0.0, 0.0]] {
        for radius in [0.3, 1.0, 2.0, 3.0] {
            for id in
                [SurrogateId::CstndHinge, SurrogateId::CstndSq, SurrogateId::CstndTau { tau: 0.8 }]
            {
                let best = infimum_in_ball(id, &s, radius).unwrap();
                let mut least = f64::INFINITY;
                for ring in 0..=60 {
                    for turn in 0..720 {
                        let r = radius * f64::from(ring) / 60.0;
                        let angle = f64::from(turn) * std::f64::consts::TAU / 720.0;
                        let (x, y) = (r * libm::cos(angle), r * libm::sin(angle));
                        let u: Vec<f64> = (0..3).map(|a| x * e1[a] + y * e2[a]).collect();
                        least = least.min(id.conditional_risk(&s, &u));
                    }
                }
                assert!(least >= best.value - 1e-12, "{id} {s:?} {radius}: {least} {best:?}");
                assert!(least <= best.value + 0.12, "{id} {s:?} {radius}: {least} {best:?}");
            }
        }
    }
}
