//! Experts who come and go: from which round on, and until which, each can be there at all.

use super::RecordedError;
use std::collections::BTreeMap;

/// The rounds `from..=until` of each expert, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seasons(Vec<(u64, u64)>);

impl Seasons {
    /// `comes` has the first round of whoever is not there from the start, `goes` the last round of
    /// whoever leaves. None where both are empty.
    ///
    /// # Errors
    /// A name that is nobody's, or a season without rounds.
    pub(crate) fn new(
        names: &[String],
        comes: &BTreeMap<String, u64>,
        goes: &BTreeMap<String, u64>,
    ) -> Result<Option<Self>, RecordedError> {
        let mut seasons = vec![(1, u64::MAX); names.len()];
        for (field, rounds) in [("comes", comes), ("goes", goes)] {
            for (name, &round) in rounds {
                let fault = |problem: String| {
                    let expert = name.clone();
                    RecordedError::Season { field, expert, round, problem }
                };
                let Some(j) = names.iter().position(|known| known == name) else {
                    let near = crate::nearest(name, names.iter().map(String::as_str));
                    let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                    return Err(fault(format!("there is no such expert{hint}")));
                };
                let season: &mut (u64, u64) = &mut seasons[j];
                match field {
                    "comes" => season.0 = round,
                    _ => season.1 = round,
                }
                if round == 0 || season.0 > season.1 {
                    let problem = "rounds count from 1, and nobody goes before coming";
                    return Err(fault(problem.into()));
                }
            }
        }
        let always = seasons.iter().all(|&season| season == (1, u64::MAX));
        Ok((!always).then_some(Seasons(seasons)))
    }

    /// Whether expert `j` can be there in round `t`.
    pub(super) fn has(&self, j: usize, t: u64) -> bool {
        (self.0[j].0..=self.0[j].1).contains(&t)
    }

    /// The rounds from which on somebody else is there, the first round among them.
    pub(super) fn changes(&self) -> Vec<u64> {
        let ends = self.0.iter().flat_map(|&(from, until)| [from, until.saturating_add(1)]);
        let mut changes: Vec<u64> = ends.filter(|&t| t < u64::MAX).chain([1]).collect();
        changes.sort_unstable();
        changes.dedup();
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seasons_by_hand() {
        let names = ["ann".to_string(), "bob".into()];
        let map = |pairs: &[(&str, u64)]| pairs.iter().map(|(n, t)| (n.to_string(), *t)).collect();
        let seasons = Seasons::new(&names, &map(&[("ann", 5)]), &map(&[("bob", 7)]));
        let seasons = seasons.unwrap().unwrap();
        assert_eq!([4, 5].map(|t| seasons.has(0, t)), [false, true]);
        assert_eq!([7, 8].map(|t| seasons.has(1, t)), [true, false]);
        assert_eq!(seasons.changes(), [1, 5, 8]);
        assert_eq!(Seasons::new(&names, &map(&[]), &map(&[])), Ok(None));
        let message = |comes: &[(&str, u64)], goes: &[(&str, u64)]| {
            Seasons::new(&names, &map(comes), &map(goes)).unwrap_err().to_string()
        };
        assert_eq!(
            message(&[("anne", 5)], &[]),
            "comes.anne = 5: there is no such expert; did you mean ann?"
        );
        assert!(message(&[("ann", 0)], &[]).contains("rounds count from 1"));
        assert!(message(&[("ann", 9)], &[("ann", 8)]).contains("goes.ann = 8"));
    }
}
