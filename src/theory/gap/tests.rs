use super::*;
use polish::{newton, newton_on_sphere, total_slope};
use problem::ActionSpace;

const SMOOTH: [Convex; 4] = [Convex::CstndSq, Convex::SumSq, Convex::Exp, Convex::Log];

fn item(weight: f64, x: &[f64], active: ActiveSet, s: &[f64]) -> StreamItem {
    StreamItem { weight, x: x.to_vec(), active, s: s.to_vec() }
}

/// At one input without features: three rounds of label 0, one of label 1.
fn three_to_one() -> FiniteStream {
    let space = ActionSpace::new(2, 0).unwrap();
    let classes = space.classes_only();
    let items = vec![item(3.0, &[], classes, &[1.0, 0.0]), item(1.0, &[], classes, &[0.0, 1.0])];
    FiniteStream::new(space, items).unwrap()
}

/// An expert who comes and goes at one of two inputs: the cells there want different scores, so
/// that the optimum depends on every weight.
fn conflicting() -> FiniteStream {
    let space = ActionSpace::new(2, 1).unwrap();
    let (classes, all) = (space.classes_only(), space.all_active());
    let items = vec![
        item(3.0, &[1.0], classes, &[0.7, 0.3]),
        item(1.0, &[1.0], all, &[0.4, 0.6, 0.5]),
        item(2.0, &[-0.5], all, &[0.2, 0.8, 0.3]),
    ];
    FiniteStream::new(space, items).unwrap()
}

fn close(x: f64, y: f64) {
    assert!((x - y).abs() < 1e-7, "{x} {y}");
}

#[test]
fn every_number_of_a_small_ball_by_hand() {
    // u = (z, -z) with |u|^2 = 2 z^2 <= 1/2, so z = 1/2. Label 0 costs 1 - z, label 1 costs 1 + z.
    let stream = three_to_one();
    let gap = minimizability_gap(&stream, SurrogateId::CstndHinge, Some(0.5f64.sqrt())).unwrap();
    close(gap.best_value, 3.0 * 0.5 + 1.5);
    assert_eq!(gap.pointwise, 0.0);
    close(gap.gap_per_round, 0.75);
    // Each label alone would cost 1 - z in this ball.
    close(gap.pointwise_in_ball.unwrap(), 4.0 * 0.5);
    close(gap.gap_in_ball_per_round.unwrap(), 0.25);
    // Label 0 is always played and wrong one time in four.
    assert_eq!(gap.true_regret_per_round, 0.25);
    // Without the ball z = 1, and only label 1 costs anything.
    let free = minimizability_gap(&stream, SurrogateId::CstndHinge, None).unwrap();
    close(free.gap_per_round, 0.5);
    assert_eq!(free.gap_in_ball_per_round, None);
}

#[test]
fn greedy_ties_are_relative_to_the_largest_score() {
    let space = ActionSpace::new(3, 0).unwrap();
    let items = vec![item(1.0, &[], space.all_active(), &[0.2, 0.3, 0.5])];
    let stream = FiniteStream::new(space, items).unwrap();
    let action = |top: f64, lead: f64| {
        let w = ScoreMatrix::from_values(space, 0, vec![top, top + lead, -2.0 * top - lead]);
        let best = Best::new(&stream, SurrogateId::CstndHinge, None, w.unwrap());
        report(&stream, SurrogateId::CstndHinge, None, best).unwrap().actions[0].index()
    };
    // The largest score is the -100 of the last action: 1e-6 (1 + 100).
    assert_eq!((action(50.0, 0.9e-4), action(50.0, 1.1e-4)), (0, 1));
    // 1e-6 (1 + 0.5).
    assert_eq!((action(0.25, 1.4e-6), action(0.25, 1.6e-6)), (0, 1));
}

#[test]
fn a_lower_bound_is_replaced_by_a_better_one_only() {
    let stream = three_to_one();
    let zero = ScoreMatrix::zeros(stream.space(), stream.dim);
    let plane = Minorant::tangent(&stream, Convex::Log, &zero);
    let mut best = Best::new(&stream, SurrogateId::CompLog, Some(1.0), zero);
    best.improve(CertificateKind::ClippedMultipliers, &plane);
    let first = best.certificate;
    assert!(first.dual.is_finite());
    best.improve(CertificateKind::TangentPlane, &plane);
    assert_eq!(best.certificate, first);
}

#[test]
fn the_pointwise_bound_is_named_only_where_it_is_better() {
    // The pointwise infima are all zero.
    let stream = three_to_one();
    let reported = |dual: f64| {
        let zero = ScoreMatrix::zeros(stream.space(), stream.dim);
        let mut best = Best::new(&stream, SurrogateId::CstndHinge, None, zero);
        best.certificate.dual = dual;
        report(&stream, SurrogateId::CstndHinge, None, best).unwrap().certificate
    };
    let tied = reported(0.0);
    assert_eq!((tied.kind, tied.radius), (CertificateKind::TangentPlane, 100.0));
    let better = reported(-1e-3);
    assert_eq!((better.kind, better.dual), (CertificateKind::Pointwise, 0.0));
    assert_eq!(better.radius, f64::INFINITY);
}

#[test]
fn polishing_ends_at_a_tenth_of_what_counts_as_certified() {
    let stream = three_to_one();
    let tight = |gap: f64| {
        let zero = ScoreMatrix::zeros(stream.space(), stream.dim);
        let mut best = Best::new(&stream, SurrogateId::CstndHinge, None, zero);
        (best.certificate.primal, best.certificate.dual) = (0.0, -gap);
        best.is_tight()
    };
    assert!(tight(0.09 * prec::CERTIFIED) && !tight(0.11 * prec::CERTIFIED));
}

#[test]
fn the_program_of_a_smooth_surrogate_ends_where_its_slope_vanishes() {
    let stream = conflicting();
    for convex in SMOOTH {
        let layout = Layout::new(&stream, convex, None);
        let w = layout.matrix(&stream, &layout.program.solve(), None);
        let slope = norm(&total_slope(&stream, convex, &w));
        assert!(slope < 1e-6, "{convex:?}: {slope}");
    }
}

#[test]
fn the_penalty_is_on_the_matrix_whatever_the_unit_of_the_program() {
    let stream = conflicting();
    for ball in [None, Some(4.0)] {
        let mut layout = Layout::new(&stream, Convex::CstndSq, ball);
        layout.add_squared_norm(0.5);
        let w = layout.matrix(&stream, &layout.program.solve(), ball);
        // f + ||W||^2 / 2 is least where f' = -W.
        let slope = total_slope(&stream, Convex::CstndSq, &w);
        let off: Vec<f64> = slope.iter().zip(&w.values).map(|(g, w)| g + w).collect();
        assert!(w.frobenius_norm() > 0.1 && norm(&off) < 1e-6, "{ball:?}: {}", norm(&off));
    }
}

#[test]
fn a_newton_step_that_only_changes_sides_is_halved() {
    // (1 + z)_+^2 + (1 - z)_+^2 over two from z = 1, where the second hinge is on its kink: a whole
    // step leads to z = -1, with a slope just as steep, and the next one back.
    let space = ActionSpace::new(2, 0).unwrap();
    let items = vec![item(1.0, &[], space.classes_only(), &[0.5, 0.5])];
    let stream = FiniteStream::new(space, items).unwrap();
    let mut w = ScoreMatrix::from_values(space, 0, vec![1.0, -1.0]).unwrap();
    newton(&stream, Convex::CstndSq, &mut w, 0.0);
    assert_eq!(w.values, [0.0, 0.0]);
}

#[test]
fn on_the_sphere_newton_ends_where_the_slope_points_inwards() {
    let stream = conflicting();
    for (convex, radius) in SMOOTH.into_iter().flat_map(|c| [(c, 0.2), (c, 0.3)]) {
        let layout = Layout::new(&stream, convex, Some(radius));
        let mut w = layout.matrix(&stream, &layout.program.solve(), Some(radius));
        assert!(w.frobenius_norm() > 0.999 * radius, "{convex:?}: the ball does not bind");
        // Away from the optimum, and off the sphere.
        let away = [0.3, -0.6, 0.45, 0.15, -0.3, 0.6];
        w.values.iter_mut().zip(away).for_each(|(w, e)| *w += radius * e);
        w.center_rows();
        // G = -(|G| / r) W at the optimum.
        let off = |w: &ScoreMatrix| {
            let slope = total_slope(&stream, convex, w);
            let lambda = norm(&slope) / radius;
            norm(&slope.iter().zip(&w.values).map(|(g, w)| g + lambda * w).collect::<Vec<_>>())
        };
        assert!(off(&w) > 0.01, "{convex:?} starts at the optimum");
        newton_on_sphere(&stream, convex, &mut w, prec::DAMPINGS[0], radius);
        assert!((w.frobenius_norm() - radius).abs() < 1e-14);
        assert!(off(&w) < 1e-13, "{convex:?} {radius}: {}", off(&w));
    }
}

#[test]
fn where_nothing_slopes_the_matrix_is_only_brought_onto_the_sphere() {
    // Label 0 for certain and a margin beyond 1: the squared hinge is zero all around.
    let space = ActionSpace::new(2, 0).unwrap();
    let items = vec![item(1.0, &[], space.classes_only(), &[1.0, 0.0])];
    let stream = FiniteStream::new(space, items).unwrap();
    let mut w = ScoreMatrix::from_values(space, 0, vec![5.0, -5.0]).unwrap();
    newton_on_sphere(&stream, Convex::CstndSq, &mut w, prec::DAMPINGS[0], 18f64.sqrt());
    close(w.values[0], 3.0);
    close(w.values[1], -3.0);
}

#[test]
fn many_cells_do_not_keep_the_optimum_of_least_norm_from_being_found() {
    // Two inputs at +-0.01 need rows +-100 for their labels. The penalty then pulls with
    // 4 delta 100: more than their slope of 0.01 for delta = 1e-4, less for a twentieth of it.
    let space = ActionSpace::new(2, 0).unwrap();
    let labelled = |weight: f64, x: f64| {
        let s = if x > 0.0 { [1.0, 0.0] } else { [0.0, 1.0] };
        item(weight, &[x], space.classes_only(), &s)
    };
    let far = (1..=9).flat_map(|i| [labelled(1e-3, f64::from(i)), labelled(1e-3, -f64::from(i))]);
    let items = [labelled(1.0, 0.01), labelled(1.0, -0.01)].into_iter().chain(far).collect();
    let stream = FiniteStream::new(space, items).unwrap();
    let w = least_norm(&stream, None, 0.0).expect("an optimum");
    assert!((w.values[0] - 100.0).abs() < 1e-3, "{w:?}");
}

#[test]
fn the_selected_optimum_may_be_off_by_rounding_relative_to_the_value() {
    // Ten actions with the same score: u = 0 is optimal, at 10 * 0.9.
    let space = ActionSpace::new(10, 0).unwrap();
    let items = vec![item(1.0, &[], space.all_active(), &[0.1; 10])];
    let stream = FiniteStream::new(space, items).unwrap();
    let selected = |short: f64| least_norm(&stream, None, 9.0 - short).is_some();
    assert!(selected(8.0 * prec::LEAST_NORM_EXCESS) && !selected(10.0 * prec::LEAST_NORM_EXCESS));
}
