use super::*;

fn all() -> Vec<Surrogate> {
    Surrogate::NAMES.iter().map(|n| Surrogate::from_name(n, 0.7, 1.5).unwrap()).collect()
}

/// A score vector away from every kink of the ten losses.
const U: [f64; 5] = [0.249, -0.908, 0.645, 0.872, -0.858];

#[test]
fn names_round_trip() {
    for surrogate in all() {
        assert_eq!(Surrogate::from_name(surrogate.name(), 0.7, 1.5), Ok(surrogate));
    }
    assert!(matches!(
        Surrogate::from_name("hinge", 0.7, 1.0),
        Err(LearnerError::UnknownSurrogate { .. })
    ));
    for alpha in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(matches!(
            Surrogate::from_name("comp_gce", alpha, 1.0),
            Err(LearnerError::Alpha { .. })
        ));
    }
    for tau in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(Surrogate::from_name("sum_tau", 0.5, tau), Err(LearnerError::Tau { .. })));
        assert!(Surrogate::from_name("cstnd_tau", 0.5, tau).is_err());
    }
}

/// Central differences of the value against the gradient, for every loss and every target.
#[test]
fn gradients_match_finite_differences() {
    let h = 1e-6;
    for surrogate in all() {
        for target in 0..U.len() {
            let mut gradient = [0.0; 5];
            surrogate.add_gradient(&U, target, 2.0, &mut gradient);
            for b in 0..U.len() {
                let shifted = |by: f64| {
                    let mut u = U;
                    u[b] += by;
                    surrogate.value(&u, target)
                };
                let slope = 2.0 * (shifted(h) - shifted(-h)) / (2.0 * h);
                assert!(
                    (slope - gradient[b]).abs() < 1e-7 * (1.0 + slope.abs()),
                    "{} target {target} coordinate {b}: {slope} against {}",
                    surrogate.name(),
                    gradient[b]
                );
            }
        }
    }
}

/// The values by hand on two scores, where every loss has a one-line form.
#[test]
fn values_by_hand() {
    let u = [0.5, -0.5];
    let expected = [
        ("comp_exp", (-1.0f64).exp()),
        ("comp_log", (1.0 + (-1.0f64).exp()).ln()),
        ("comp_gce", (1.0 - (1.0 / (1.0 + (-1.0f64).exp())).powf(0.7)) / 0.7),
        ("comp_mae", 1.0 - 1.0 / (1.0 + (-1.0f64).exp())),
        ("sum_sq", 0.0),
        ("sum_exp", (-1.0f64).exp()),
        ("sum_tau", 1.0 - 1.0 / 1.5),
        ("cstnd_hinge", 0.5),
        ("cstnd_sq", 0.25),
        ("cstnd_tau", 1.0 - 0.5 / 1.5),
    ];
    for (name, value) in expected {
        let got = Surrogate::from_name(name, 0.7, 1.5).unwrap().value(&u, 0);
        assert!((got - value).abs() < 1e-15, "{name}: {got} against {value}");
    }
}

#[test]
fn kinks_have_coefficient_zero() {
    let gradient = |surrogate: Surrogate, u: &[f64]| {
        let mut out = vec![0.0; u.len()];
        surrogate.add_gradient(u, 0, 1.0, &mut out);
        out
    };
    // 1 + u_1 = 0 exactly, u_2 on the slope.
    assert_eq!(gradient(Surrogate::CstndHinge, &[0.5, -1.0, 0.5]), [0.0, 0.0, 1.0]);
    assert_eq!(gradient(Surrogate::CstndTau { tau: 1.0 }, &[1.0, -1.0, 0.0]), [0.0; 3]);
    assert_eq!(gradient(Surrogate::SumTau { tau: 1.0 }, &[0.0, -1.0, 0.0]), [0.0; 3]);
}

#[test]
fn soft_max_losses_survive_extreme_scores() {
    let u = [800.0, -800.0, 0.0];
    for name in ["comp_log", "comp_gce", "comp_mae"] {
        let surrogate = Surrogate::from_name(name, 0.7, 1.0).unwrap();
        for target in 0..3 {
            let mut gradient = [0.0; 3];
            surrogate.add_gradient(&u, target, 1.0, &mut gradient);
            assert!(surrogate.value(&u, target).is_finite(), "{name}");
            assert!(gradient.iter().all(|g| g.is_finite()), "{name}");
        }
    }
    assert_eq!(Surrogate::CompLog.value(&u, 1), 1600.0);
}

/// Jensen along a segment: exactly the losses called convex pass on every target.
#[test]
fn convexity_is_as_declared() {
    let (a, b) = ([2.0, -1.0, 0.5, -0.5, -1.0], [-2.5, 0.5, 1.0, 0.0, 1.0]);
    let (far_a, far_b) = ([-6.0, 6.0, 0.0, 0.0, 0.0], [-1.0, 1.0, 0.0, 0.0, 0.0]);
    for surrogate in all() {
        let mut violated = false;
        for (a, b) in [(a, b), (far_a, far_b)] {
            for target in 0..a.len() {
                for step in 1..20 {
                    let w = step as f64 / 20.0;
                    let mid: Vec<f64> =
                        a.iter().zip(&b).map(|(p, q)| (1.0 - w) * p + w * q).collect();
                    let chord =
                        (1.0 - w) * surrogate.value(&a, target) + w * surrogate.value(&b, target);
                    violated |= surrogate.value(&mid, target) > chord + 1e-12;
                }
            }
        }
        assert_eq!(violated, !surrogate.is_convex(), "{}", surrogate.name());
    }
}
