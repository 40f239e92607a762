//! What the paper says, in our words, with the conditions that it adds anywhere.
//!
//! Only for claims whose statement in the ledger leaves something out: where the paper says a thing with
//! a condition in one place and without it in another, both are here.

/// The paraphrase of a claim, where its statement alone would not be fair to the paper.
pub(super) fn says(id: &str) -> Option<&'static str> {
    SAYS.iter().find(|(known, _)| *known == id).map(|(_, says)| *says)
}

const SAYS: &[(&str, &str)] = &[
    (
        "regret-sublinear",
        "Sec. 1 announces regret that is sublinear in T, so that the average regret vanishes, without a \
         condition. The abstract and Thm 6.4 add two: linear calibration, and a minimizability gap of the \
         surrogate that is zero for the projected class. Sec. 6 says that the gap is set by the class and \
         the sequence. Abstracts of other versions give the order (n + n_e) T^{2/3} in general, without the \
         condition.",
    ),
    (
        "gamma-sum-sq",
        "App. E takes Gamma(t) = sqrt(t) for the sum of squared hinges from a table of earlier work and \
         applies Cor. 5.2 to it, for any number of active actions.",
    ),
    (
        "gamma-cstnd-sq",
        "App. E takes Gamma(t) = sqrt(t) for the constrained squared hinge from a table of earlier work and \
         applies Cor. 5.2 to it, for any number of active actions.",
    ),
    (
        "lem-f.2",
        "Lem. F.2 bounds the slack of a wrong greedy action from below by 1/4. The proof of Thm 6.5 uses it \
         with class scores that sum to one, under which 1/4 is right and attained; the lemma as printed \
         does not say so.",
    ),
    (
        "surrogates-convex",
        "Sec. 3 and 4.4 replace the true loss by a convex surrogate. App. E offers ten surrogates without \
         saying which of them are convex; the algorithm and its theorems use the constrained hinge, which is.",
    ),
    (
        "sec-6-order",
        "Sec. 6 motivates the method by regret of the order of T Gamma(surrogate regret / T). The theorems \
         that follow carry the exploration sum as a term of its own; the display does not.",
    ),
    (
        "table-reuters4-partition",
        "App. G.3 gives the regions {1,2}, {2,3}, {3,4} and a table of expert accuracies.",
    ),
    (
        "table-cifar10h-loss-ours",
        "App. G.4 says that all losses use normalized costs, with query cost 0.05, and prints loss, \
         accuracies and deferral ratios in one table.",
    ),
    (
        "table-cifar10h-exploration",
        "App. G states gamma_t = min(1/2, 10/sqrt(t)) for the synthetic and Reuters4 experiments. For CIFAR10H no \
         rate is stated; this check uses the same one.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_belongs_to_a_claim() {
        let ids: Vec<&str> = super::super::all().iter().map(|c| c.id).collect();
        for (id, _) in SAYS {
            assert!(ids.contains(id), "{id} is not a claim");
        }
        assert_eq!(says("no-such-claim"), None);
    }
}
