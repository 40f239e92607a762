//! Conditional risks of the true deferral loss (Def. 4.1, Lemmas D.1 and D.3), and the deferral surrogate of
//! each label (Def. 4.3).

use problem::{ActiveSet, ProblemError, RoundLaw};
use theory::{Scores, TheoryError, argmax};

/// `C(a) = 1 - s_a` for every active action (Lem. D.1).
#[must_use]
pub(crate) fn action_risks(scores: &Scores) -> Vec<f64> {
    scores.s.iter().map(|s| 1.0 - s).collect()
}

/// `C* = 1 - max_a s_a`, when the class can reach every active action (Lem. D.1).
#[must_use]
pub(crate) fn best_risk(scores: &Scores) -> f64 {
    1.0 - best_score(scores)
}

/// `C(q) = sum_a q_a (1 - s_a)`.
pub(crate) fn mixture_risk(scores: &Scores, q: &[f64]) -> Result<f64, TheoryError> {
    check_mixture(q, scores.active.len())?;
    Ok(q.iter().zip(&scores.s).map(|(q, s)| q * (1.0 - s)).sum())
}

/// `Delta C(a) = max_b s_b - s_a` for the action at `position` (Lem. D.1).
#[must_use]
pub(crate) fn action_gap(scores: &Scores, position: usize) -> f64 {
    best_score(scores) - scores.s[position]
}

/// `Delta C(q) = sum_a q_a (max_b s_b - s_a)`: what a mixture loses against the best action.
pub(crate) fn mixture_gap(scores: &Scores, q: &[f64]) -> Result<f64, TheoryError> {
    check_mixture(q, scores.active.len())?;
    Ok(q.iter().enumerate().map(|(i, q)| q * action_gap(scores, i)).sum())
}

/// `ell_def(q, x, y) = sum_{y' != y} q(y') + sum_j q(n + j) c_j(x, y)` for every label `y`
/// (Def. 4.1).
pub(crate) fn loss_given_label(
    law: &RoundLaw,
    active: ActiveSet,
    q: &[f64],
) -> Result<Vec<f64>, TheoryError> {
    if law.space != active.space() {
        return Err(TheoryError::SpaceMismatch { field: "active" });
    }
    check_mixture(q, active.len())?;
    let n = law.space.classes();
    let given = |y: usize| {
        let wrong: f64 = (0..n).filter(|&other| other != y).map(|other| q[other]).sum();
        let asked: f64 = active.experts().zip(&q[n..]).map(|(j, q)| q * law.cost(j)[y]).sum();
        wrong + asked
    };
    Ok((0..n).map(given).collect())
}

/// `q = (1 - gamma) e_greedy + gamma / K`: the learner's mixture (Sec. 4.1).
#[must_use]
pub(crate) fn exploration_mixture(actions: usize, greedy: usize, gamma: f64) -> Vec<f64> {
    let share = gamma / actions as f64;
    (0..actions).map(|a| if a == greedy { 1.0 - gamma + share } else { share }).collect()
}

/// `Phi_def(u, y) = Phi_01(u, y) + sum_j (1 - c_j(y)) Phi_01(u, n + j)` for every label `y`
/// (Def. 4.3), from the values at every action.
#[must_use]
pub(crate) fn phi_def_from_phi01(law: &RoundLaw, active: ActiveSet, phi01: &[f64]) -> Vec<f64> {
    let n = law.space.classes();
    (0..n)
        .map(|y| {
            active
                .experts()
                .zip(&phi01[n..])
                .map(|(j, phi)| (1.0 - law.cost(j)[y], phi))
                .filter(|&(weight, _)| weight > 0.0)
                .fold(phi01[y], |sum, (weight, phi)| sum + weight * phi)
        })
        .collect()
}

fn best_score(scores: &Scores) -> f64 {
    scores.s[argmax(&scores.s)]
}

fn check_mixture(q: &[f64], actions: usize) -> Result<(), ProblemError> {
    problem::check_distribution("q", q, actions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use problem::ActionSpace;
    use theory::SurrogateId;

    fn round() -> (RoundLaw, ActiveSet, Scores) {
        let space = ActionSpace::new(3, 2).unwrap();
        let law = RoundLaw::new(space, &[0.5, 0.125, 0.375], &[[1.0, 0.5, 0.0], [0.0, 0.0, 1.0]])
            .unwrap();
        let active = space.active([1]).unwrap();
        let scores = Scores::from_law(&law, active).unwrap();
        (law, active, scores)
    }

    #[test]
    fn the_mixture_risk_is_the_expected_loss_over_labels() {
        let (law, active, scores) = round();
        let q = [0.125, 0.25, 0.125, 0.5];
        let by_label = loss_given_label(&law, active, &q).unwrap();
        // y = 0: 0.25 + 0.125 + 0.5 * 0;  y = 1: 0.125 + 0.125;  y = 2: 0.125 + 0.25 + 0.5
        assert_eq!(by_label, [0.375, 0.25, 0.875]);
        let expected: f64 = by_label.iter().zip(&law.p).map(|(l, p)| l * p).sum();
        assert_eq!(mixture_risk(&scores, &q).unwrap(), expected);
        assert_eq!(mixture_gap(&scores, &q).unwrap(), expected - best_risk(&scores));
    }

    #[test]
    fn gaps_vanish_at_the_best_action_only() {
        let (_, _, scores) = round();
        assert_eq!(scores.s, [0.5, 0.125, 0.375, 0.625]);
        assert_eq!(action_risks(&scores), [0.5, 0.875, 0.625, 0.375]);
        assert_eq!(best_risk(&scores), 0.375);
        assert_eq!(action_gap(&scores, 3), 0.0);
        assert_eq!(action_gap(&scores, 1), 0.5);
    }

    #[test]
    fn exploration_moves_a_share_gamma_to_the_average_action() {
        let (_, _, scores) = round();
        // Gaps 1/8, 1/2, 1/4, 0 have mean 7/32.
        for (greedy, gap) in [0.125, 0.5, 0.25, 0.0].into_iter().enumerate() {
            let q = exploration_mixture(4, greedy, 0.25);
            assert_eq!(mixture_gap(&scores, &q).unwrap(), 0.75 * gap + 0.25 * 7.0 / 32.0);
        }
    }

    #[test]
    fn mixtures_are_checked() {
        let (law, active, scores) = round();
        let message = |q: &[f64]| mixture_risk(&scores, q).unwrap_err().to_string();
        assert!(message(&[1.0]).contains("q has 1 entries"));
        assert!(message(&[0.5, 0.6, 0.0, 0.0]).contains("q sums to 1.1"));
        assert!(message(&[1.5, -0.5, 0.0, 0.0]).contains("q[0]"));
        assert!(loss_given_label(&law, active, &[0.0; 4]).is_err());
    }

    #[test]
    fn the_conditional_risk_is_the_expected_deferral_loss() {
        let space = ActionSpace::new(3, 2).unwrap();
        let law = RoundLaw::new(space, &[0.5, 0.25, 0.25], &[[0.5, 0.0, 1.0], [0.25, 0.75, 0.0]])
            .unwrap();
        let active = space.active([1]).unwrap();
        let s = [0.5, 0.25, 0.25, 1.0 - (0.125 + 0.1875)];
        let u = [0.5, -1.25, 0.0, 0.75];
        for name in SurrogateId::NAMES {
            let id = SurrogateId::parse(name, Some(0.5), Some(1.5)).unwrap();
            let expected: f64 = phi_def_from_phi01(
                &law,
                active,
                &(0..u.len()).map(|a| id.phi01(&u, a)).collect::<Vec<f64>>(),
            )
            .iter()
            .zip(&law.p)
            .map(|(l, p)| l * p)
            .sum();
            let risk = id.conditional_risk(&s, &u);
            assert!((risk - expected).abs() < 1e-13 * (1.0 + risk), "{id}: {risk} {expected}");
        }
    }

    #[test]
    fn an_expert_without_weight_counts_nothing_even_where_its_loss_overflows() {
        // Both the second class and the expert lose e^800 against the first class.
        let (u, id) = ([800.0, 0.0, 0.0], SurrogateId::CompExp);
        // An expert that costs 1 when the label is 0.
        let space = ActionSpace::new(2, 1).unwrap();
        let law = RoundLaw::new(space, &[1.0, 0.0], &[[1.0, 0.0]]).unwrap();
        let losses = phi_def_from_phi01(
            &law,
            space.all_active(),
            &(0..u.len()).map(|a| id.phi01(&u, a)).collect::<Vec<f64>>(),
        );
        assert_eq!(losses, [2.0 * libm::exp(-800.0), f64::INFINITY]);
    }
}
