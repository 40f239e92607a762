//! A ledger about something else: sorting and prime numbers. One claim is proved by enumeration, one
//! fails with an exact witness, one is statistical.
//!
//! ```sh
//! cargo run -p deferlab-ledger --example three_claims
//! ```

use deferlab_ledger::{
    Checked, Claim, Context, Done, Entry, Grade, Kind, Ledger, Outcome, Owner, Saboteur, Tally,
};
use deferlab_ledger::{Verdict, markdown, run, teeth};
use num_rational::BigRational;
use rand::RngExt;
use serde_json::json;

const CLAIMS: &[Claim] = &[
    Claim {
        id: "network-of-five",
        reference: "Sec. 1",
        statement: "Five comparators sort every list of four numbers.",
        hypotheses: &["by the 0-1 principle, lists of zeros and ones decide"],
        check: |_| sorts(&NETWORK),
        saboteurs: &[Saboteur {
            name: "four-comparators",
            falsified: "the last comparator is left out",
            check: |_| sorts(&NETWORK[..4]),
            cannot_tell: None,
        }],
        ..Claim::BLANK
    },
    Claim {
        id: "prime-gaps",
        reference: "Sec. 2",
        statement: "The next prime after p is at most p + sqrt(p).",
        check: |_| gaps(1_000),
        ..Claim::BLANK
    },
    Claim {
        id: "quicksort-comparisons",
        reference: "Sec. 3",
        statement: "Quicksort makes at most 2 n ln n comparisons on average.",
        hypotheses: &["n = 1000", "all orders equally likely"],
        kind: Kind::Cost,
        owner: Owner::Implementation,
        check: |context| comparisons(context, 2.0),
        saboteurs: &[Saboteur {
            name: "half-the-constant",
            falsified: "n ln n instead of 2 n ln n",
            check: |context| comparisons(context, 1.0),
            cannot_tell: None,
        }],
    },
];

const NETWORK: [(usize, usize); 5] = [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)];

fn sorts(network: &[(usize, usize)]) -> Checked {
    let mut tally = Tally::default();
    for input in 0u8..16 {
        let start = [0, 1, 2, 3].map(|i| input >> i & 1);
        let mut list = start;
        for &(i, j) in network {
            if list[i] > list[j] {
                list.swap(i, j);
            }
        }
        tally.truth(list.is_sorted(), || json!({ "list": start, "becomes": list }));
    }
    Ok(tally.outcome(Verdict::Proved, Grade::Enumerated, "lists of four zeros and ones"))
}

/// `gap <= sqrt(p)`, that is `gap^2 <= p`, in whole numbers.
fn gaps(up_to: i64) -> Checked {
    let is_prime = |n: i64| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| n % d != 0);
    let whole = |n: i64| BigRational::from_integer(n.into());
    let mut tally = Tally::default();
    let mut p = 2;
    while p < up_to {
        let next = (p + 1..).find(|&n| is_prime(n)).expect("there is always another prime");
        let gap = next - p;
        tally.at_most(&whole(gap * gap), &whole(p), || json!({ "p": p, "next": next }));
        p = next;
    }
    Ok(tally.outcome(Verdict::Holds, Grade::Searched, "gaps between primes"))
}

fn comparisons(context: &Context, constant: f64) -> Checked {
    const RUNS: usize = 200;
    const N: usize = 1000;
    let mut rng = context.rng("quicksort-comparisons");
    let counts: Vec<f64> = (0..RUNS)
        .map(|_| {
            let list: Vec<u32> = (0..N).map(|_| rng.random()).collect();
            quicksort(&list) as f64
        })
        .collect();
    let mean = counts.iter().sum::<f64>() / RUNS as f64;
    let variance = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / (RUNS - 1) as f64;
    let error = (variance / RUNS as f64).sqrt();
    let stated = constant * N as f64 * (N as f64).ln();
    // Five standard errors: a false alarm in a million runs or fewer.
    let verdict = if mean - 5.0 * error > stated { Verdict::Fails } else { Verdict::Consistent };
    let summary = format!("{mean:.0} comparisons on average, {stated:.0} stated");
    Ok(Outcome::new(verdict, Grade::Sampled, summary)
        .with("runs", RUNS)
        .with("standard_error", error)
        .tightness("comparisons", stated, mean))
}

fn quicksort(list: &[u32]) -> usize {
    let Some((pivot, rest)) = list.split_first() else { return 0 };
    let (low, high): (Vec<u32>, Vec<u32>) = rest.iter().partition(|v| *v < pivot);
    rest.len() + quicksort(&low) + quicksort(&high)
}

fn ledger(seed: u64) -> Result<Ledger, String> {
    let entry = |done: &Done| match &done.result {
        Ok(outcome) => Ok(Entry::new(done, outcome)),
        Err(failure) => Err(format!("{}: {failure}", done.claim.id)),
    };
    let claims = run(CLAIMS, seed, &[], |_, _| {}).iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Ledger { seed, claims })
}

fn main() -> Result<(), String> {
    println!("{}", markdown::ledger(&ledger(1)?, &[], "cargo run --example three_claims"));
    for run in teeth(CLAIMS, 1) {
        println!("{}: {} -> {:?}", run.claim, run.saboteur.falsified, run.fate);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use deferlab_ledger::SaboteurFate;

    #[test]
    fn the_three_verdicts_and_their_grades() {
        let ledger = ledger(1).unwrap();
        let said: Vec<_> = ledger.claims.iter().map(|e| (e.verdict, e.grade)).collect();
        assert_eq!(
            said,
            [
                (Verdict::Proved, Grade::Enumerated),
                (Verdict::Fails, Grade::Enumerated),
                (Verdict::Consistent, Grade::Sampled)
            ]
        );
        assert_eq!(ledger.claims[1].witness, Some(json!({ "p": 113, "next": 127 })));
    }

    #[test]
    fn every_saboteur_is_refuted() {
        let runs = teeth(CLAIMS, 1);
        assert_eq!(runs.len(), 2);
        assert!(runs.iter().all(|run| run.fate == SaboteurFate::Refuted), "{runs:?}");
    }
}
