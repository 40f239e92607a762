//! Which findings a reader meets first.
//!
//! Claims are grouped by what rests on them, the groups ordered by how much that is. The order
//! says nothing about verdicts: of each group the claims that do not stand are taken from the
//! ledger, and groups in which all is well are passed over.

use ledger::{Entry, Verdict};

/// What a group of claims is about, and how the ids of its claims begin, the weightiest first.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Regret", &["regret-sublinear", "availability-", "thm-6.3", "thm-6.4", "thm-6.5"]),
    ("What the theorems assume", &["thm-6.5-condition", "zero-gap-"]),
    ("Calibration", &["gamma-", "thm-5.1", "cor-5.2", "lem-d."]),
    ("Published tables", &["table-"]),
    ("Horizons", &["thm-6.4-horizon", "thm-6.5-horizon", "thm-6.5-exploration"]),
    ("Lemmas of the proofs", &["lem-", "prop-", "thm-f."]),
    ("Figures and experiments", &["figure-", "experiments-"]),
];

/// A finding: the weightiest claim of a group that does not stand, and its companions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding<'a> {
    /// What the group is about.
    pub(super) about: &'static str,
    /// The claim.
    pub(super) claim: &'a Entry,
    /// The other claims of the group that do not stand.
    pub(super) also: Vec<&'a Entry>,
}

/// A claim that a reader should know about: refuted, contradicted, or empty where it is used.
pub(super) fn stands(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Fails | Verdict::Vacuous | Verdict::Inconsistent)
}

/// Where a claim belongs: the group and the place in it, by the longest beginning that fits.
fn place(id: &str) -> Option<(usize, usize)> {
    let mut best: Option<(usize, (usize, usize))> = None;
    for (g, (_, beginnings)) in GROUPS.iter().enumerate() {
        for (i, beginning) in beginnings.iter().enumerate() {
            let length = beginning.len();
            if id.starts_with(beginning) && best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, (g, i)));
            }
        }
    }
    best.map(|(_, place)| place)
}

/// At most `count` findings, one per group. Within a group a refuted claim comes before a
/// contradicted or an empty one, then by place, then by the order of the ledger.
pub(super) fn findings(claims: &[Entry], count: usize) -> Vec<Finding<'_>> {
    let gravity = |verdict: Verdict| match verdict {
        Verdict::Fails => 0,
        Verdict::Inconsistent => 1,
        _ => 2,
    };
    let of_group = |g: usize| {
        let mut members: Vec<(usize, &Entry)> = claims
            .iter()
            .filter(|e| !stands(e.verdict))
            .filter_map(|e| place(&e.id).filter(|p| p.0 == g).map(|p| (p.1, e)))
            .collect();
        members.sort_by_key(|(i, e)| (gravity(e.verdict), *i));
        let mut members = members.into_iter().map(|(_, e)| e);
        let claim = members.next()?;
        Some(Finding { about: GROUPS[g].0, claim, also: members.collect() })
    };
    (0..GROUPS.len()).filter_map(of_group).take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Map;

    fn entry(id: &str, verdict: Verdict) -> Entry {
        Entry {
            owner: ledger::Owner::Paper,
            grade: ledger::Grade::Searched,
            proofs: Vec::new(),
            false_variants: Vec::new(),
            id: id.into(),
            reference: String::new(),
            kind: "theorem".into(),
            statement: String::new(),
            hypotheses: vec![],
            verdict,
            summary: String::new(),
            evidence: Map::new(),
            witness: None,
            tightness: None,
        }
    }

    #[test]
    fn the_ledger_decides_which_findings_are_shown() {
        let mut claims = vec![
            entry("gamma-a", Verdict::Fails),
            entry("gamma-b", Verdict::Fails),
            entry("thm-6.5-condition", Verdict::Vacuous),
            entry("zero-gap-x", Verdict::Vacuous),
            entry("regret-sublinear", Verdict::Holds),
            entry("table-x", Verdict::Inconsistent),
            entry("lem-f.2", Verdict::Fails),
        ];
        let ids = |claims: &[Entry]| -> Vec<String> {
            findings(claims, 3).iter().map(|f| f.claim.id.clone()).collect()
        };
        assert_eq!(ids(&claims), ["thm-6.5-condition", "gamma-a", "table-x"]);
        assert_eq!(findings(&claims, 3)[1].also[0].id, "gamma-b");
        claims[4].verdict = Verdict::Fails;
        assert_eq!(ids(&claims), ["regret-sublinear", "thm-6.5-condition", "gamma-a"]);
        claims.iter_mut().for_each(|e| e.verdict = Verdict::Proved);
        assert!(findings(&claims, 3).is_empty());
    }

    #[test]
    fn the_longest_beginning_decides() {
        assert_eq!(place("thm-6.5-condition").unwrap().0, 1);
        assert_eq!(place("thm-6.5").unwrap().0, 0);
        assert_eq!(place("thm-6.4-rate").unwrap().0, 0);
        assert_eq!(place("cost-range"), None);
    }
}
