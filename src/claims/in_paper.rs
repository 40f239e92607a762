//! What the paper says, in our words, with the conditions that it adds anywhere.
//!
//! For every claim that does not stand, and for those whose statement in the ledger leaves something out.
//! Where the paper says a thing with a condition in one place and without it in another, both are here.

/// The paraphrase of a claim, where its statement alone would not be fair to the paper.
pub(crate) fn says(id: &str) -> Option<&'static str> {
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
    (
        "displayed-sum-sq",
        "App. E displays, for each of its surrogates, the bound that Cor. 5.2 gives with the Gamma stated \
         there. For the sum of squared hinges that Gamma is sqrt(t).",
    ),
    (
        "displayed-cstnd-sq",
        "App. E displays, for each of its surrogates, the bound that Cor. 5.2 gives with the Gamma stated \
         there. For the constrained squared hinge that Gamma is sqrt(t).",
    ),
    (
        "experiments-radius",
        "Sec. 7 and App. G keep the projection on the Frobenius ball. Neither names the radius that was used. \
         App. C asks for at least N in the theory.",
    ),
    (
        "experiments-horizon",
        "App. G.2 describes streams of T rounds and gives no T. Sec. 7.2 uses the first 100,000 examples of \
         Reuters4.",
    ),
    (
        "synthetic-best-action",
        "App. G.2 says, for the two settings with constant expertise, that the cheapest active action is an \
         available expert who knows the region on regions 1 to 4, and the classifier on regions 5 and 6. It \
         adds that without such an expert the learner chooses among the rest.",
    ),
    (
        "table-synthetic-expert-1",
        "App. G.2 gives expert 1 two of the six clusters, where it copies the label, and uniform guesses \
         elsewhere. The tables of settings 1 and 2 print its average accuracy over all rounds, asked or not.",
    ),
    (
        "table-synthetic-expert-2",
        "App. G.2 gives expert 2 two of the six clusters, where it copies the label, and uniform guesses \
         elsewhere. The tables of settings 1 and 2 print its average accuracy over all rounds, asked or not.",
    ),
    (
        "table-cifar10h-loss-baseline",
        "App. G.4 says that each expert has a normalized cost with query cost 0.05, and prints loss, \
         accuracies and deferral ratios of method and baseline in one table.",
    ),
    (
        "figure-reuters4-3-loss",
        "Sec. 7.2 reads its figures for drifting availability and expertise as stable normalized loss and \
         rising accuracy over the drift. It notes that AdaGrad, used there, is not the algorithm that the \
         theorems are about.",
    ),
    (
        "figure-reuters4-3-queried",
        "Sec. 7.2 reads its figures as high accuracy of the experts that are asked. It says that this \
         measures routing, not the experts themselves, whose averages are in App. G.3.",
    ),
    (
        "figure-cifar10h-baseline",
        "Sec. 7.2 and App. G.4 say that the learned policy has lower mean deferral loss and higher mean \
         accuracy than a baseline that trusts the classifier from a confidence of 0.5 and otherwise asks an \
         available expert at random. App. G.4 names no learning rate, exploration rate, network size or \
         training.",
    ),
    (
        "figure-cifar10h-queried",
        "App. G.4 says that experts are right substantially more often when the method asks them than when \
         the baseline does, and takes it as routing to better suited experts.",
    ),
    (
        "figure-cifar10h-routing",
        "App. G.4 says that the learned consultation pattern is not uniform. Its table has the three deferral \
         ratios.",
    ),
    (
        "figure-syn-2-slightly",
        "App. G.2 says that accuracy is slightly lower in setting 2 than in setting 1. It does not say by how \
         much; the check takes 0.05 as slight.",
    ),
    (
        "figure-syn-2-each-expert",
        "App. G.2 says that in setting 2 the experts have high accuracy on the rounds assigned to each of \
         them. Expert 3 guesses everywhere; the paper does not except it.",
    ),
    (
        "figure-syn-3-regions",
        "App. G.2 reads its figure of setting 3 as expert 1 moving from region 2 to region 1, expert 2 from \
         region 1 to region 2, and expert 3 without a region. The start given earlier in App. G.2 is clusters \
         1 and 2 for expert 1, and 3 and 4 for expert 2.",
    ),
    (
        "replication-synthetic-1",
        "App. G.2 says of setting 1: accuracy rises and loss falls; experts 1 and 2 are asked most and are \
         right when asked; expert 3 is asked little and is right less often. A table has the experts' \
         accuracies over all rounds.",
    ),
    (
        "replication-synthetic-2",
        "App. G.2 says of setting 2: accuracy is slightly lower than in setting 1, and experts are right on \
         the rounds assigned to them. A table has the experts' accuracies over all rounds.",
    ),
    (
        "replication-synthetic-3",
        "App. G.2 says of setting 3 that accuracy on queried rounds and deferral ratios change with the \
         regions, and shows accuracy and loss without a statement about them; there is no table.",
    ),
    (
        "replication-reuters4-1",
        "App. G.3 says of setting 1: accuracy rises faster than the random baseline, experts are right when \
         asked, and they are asked often. A table has their accuracies. The paper plays the first 100,000 of \
         685,071 documents; we have 23,428.",
    ),
    (
        "replication-reuters4-2",
        "App. G.3 gives a table of expert accuracies for setting 2 and a figure without a statement about it. \
         The paper plays the first 100,000 of 685,071 documents; we have 23,428.",
    ),
    (
        "replication-reuters4-3",
        "Sec. 7.2 says of setting 3: high accuracy of the experts that are asked, routing that is not \
         uniform, stable loss, rising accuracy. The paper plays the first 100,000 of 685,071 documents; we \
         have 23,428.",
    ),
    (
        "replication-cifar10h",
        "App. G.4 says: lower loss and higher accuracy than the baseline, experts right more often when \
         asked, consultation that is not uniform. Two tables have the numbers. Rates, network and training \
         are not stated, so we chose them and say how.",
    ),
    (
        "replication-cifar10h-readings",
        "App. G.4 prints loss, accuracy, deferral ratios and accuracies of the experts when asked, for the \
         method and for a baseline. Rates, exploration, radius, number of rounds and the start of the network \
         are not stated.",
    ),
    (
        "score-mass",
        "The last line of Thm 5.1 bounds the score mass from below by one and from above by the number of \
         active actions.",
    ),
    (
        "lem-f.1",
        "Lem. F.1 bounds the squared norm of a projected hinge subgradient by K rho^2 / 4. The proofs that \
         use it take the larger K rho^2.",
    ),
    (
        "app-c-radius",
        "App. C shows that a ball of radius N holds a minimiser at every input, and chooses that radius. It \
         does not say that a smaller one would not do.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use ledger::{Ledger, Owner, Verdict};

    #[test]
    fn every_note_belongs_to_a_claim() {
        let ids: Vec<&str> = super::super::all().iter().map(|c| c.id).collect();
        for (id, _) in SAYS {
            assert!(ids.contains(id), "{id} is not a claim");
        }
        assert_eq!(says("no-such-claim"), None);
        let unsaid = |verdict: Verdict| {
            !matches!(verdict, Verdict::Fails | Verdict::Inconsistent | Verdict::Unspecified)
        };
        // A claim of the paper that does not stand is shown beside what the paper says.
        let ledger = Ledger::read(std::path::Path::new("reports/ledger.json")).unwrap();
        for entry in ledger.claims.iter().filter(|e| e.owner == Owner::Paper) {
            assert!(unsaid(entry.verdict) || says(&entry.id).is_some(), "{}", entry.id);
        }
    }
}
