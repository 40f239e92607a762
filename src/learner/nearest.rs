//! The name that was probably meant.

/// The known name with the fewest edits (insertions, deletions, changes, swaps of neighbours) from
/// `name`, if there are few enough to be a slip.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 2).max(1);
    known
        .into_iter()
        .map(|k| (strsim::osa_distance(name, k), k))
        .filter(|(edits, _)| *edits <= limit)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let known = ["rounds", "runs", "seed"];
        assert_eq!(nearest("ruonds", known), Some("rounds"));
        assert_eq!(nearest("run", known), Some("runs"));
        assert_eq!(nearest("policies", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
