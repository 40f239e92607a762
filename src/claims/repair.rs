//! Not in the paper: the linear program that confirms that no convex loss repairs the hypotheses of
//! Thm 6.4 when experts come and go.

use super::{Claim, Grade, Kind, Outcome, Owner, Verdict, refuted};
use crate::theory::{ClassPart, Rational, largest_constant, ratio};

pub(crate) const CLAIMS: &[Claim] = &[Claim {
    id: "no-convex-repair-program",
    reference: "not in the paper (hypotheses of Thm 6.4 where experts come and go)",
    kind: Kind::Theorem,
    owner: Owner::Project,
    statement: "Take convex losses of score differences on a 7 x 7 grid, for two classes and one \
                expert, with four given minimisers near the tie. If the minimisers share their \
                class parts, as vectors that serve both active sets must, the largest 1/C of \
                linear calibration is 0. If they need not share them, it is 5.",
    hypotheses: &["|phi| at most 10", "scores within 1/20 of the tie"],
    check: |_| Ok(program(ClassPart::Shared, &ratio(0, 1), &ratio(5, 1))),
    saboteurs: &[
        refuted("class-parts-free", "0 also with class parts of their own", |_| {
            Ok(program(ClassPart::Free, &ratio(0, 1), &ratio(5, 1)))
        }),
        refuted("smaller", "4.9 with class parts of their own", |_| {
            Ok(program(ClassPart::Shared, &ratio(0, 1), &ratio(49, 10)))
        }),
    ],
}];

fn program(first: ClassPart, zero: &Rational, free: &Rational) -> Outcome {
    let found = [largest_constant(first), largest_constant(ClassPart::Free)];
    let certified = found.iter().all(|f| f.certified.is_some());
    let as_stated =
        [zero, free].into_iter().zip(&found).all(|(s, f)| f.certified.as_ref() == Some(s));
    let shown = |f: &crate::theory::LargestConstant| {
        f.certified.as_ref().map_or("not certified".to_string(), Rational::to_string)
    };
    let (verdict, grade) = match (as_stated, certified) {
        (true, _) => (Verdict::Proved, Grade::Enumerated),
        (false, true) => (Verdict::Fails, Grade::Enumerated),
        // A solver that lost its way settles nothing.
        (false, false) => (Verdict::Fails, Grade::Searched),
    };
    let summary = format!("largest 1/C {} and {}", shown(&found[0]), shown(&found[1]));
    // The solver's last digits may differ from machine to machine.
    let rounded = |v: f64| (v * 1e3).round() / 1e3 + 0.0;
    let solver: Vec<[f64; 2]> =
        found.iter().map(|f| [rounded(f.solver.0), rounded(f.solver.1)]).collect();
    Outcome::new(verdict, grade, summary)
        .with("certificate", "losses that attain it and multipliers that imply it, in fractions")
        .with("solver", serde_json::json!(solver))
}
