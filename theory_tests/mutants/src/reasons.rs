//! Survivors that are explained: lines of `file | function | expression -> replacement # reason`.

use crate::Failure;
use crate::rewrite::Mutant;
use std::path::Path;

pub struct Reasons {
    lines: Vec<(String, String)>,
}

impl Reasons {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let mut lines = Vec::new();
        for line in std::fs::read_to_string(path)?.lines().filter(|l| l.contains(" | ")) {
            let (key, reason) = line
                .split_once(" # ")
                .ok_or_else(|| format!("{}: a line without a reason: {line}", path.display()))?;
            lines.push((key.trim().to_owned(), reason.to_owned()));
        }
        Ok(Reasons { lines })
    }

    pub fn of(&self, mutant: &Mutant) -> Option<&str> {
        let key = mutant.key();
        self.lines.iter().find(|(pattern, _)| fits(pattern, &key)).map(|(_, reason)| &**reason)
    }

    /// Lines that explain none of these.
    pub fn without(&self, alive: &[&Mutant]) -> Vec<&str> {
        let keys: Vec<String> = alive.iter().map(|m| m.key()).collect();
        let idle = |p: &&str| !keys.iter().any(|key| fits(p, key));
        self.lines.iter().map(|(pattern, _)| &**pattern).filter(idle).collect()
    }
}

/// Whether a text has the parts between the `...` of a pattern, in order, from its start to its end.
fn fits(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split("...").collect();
    let [first, middle @ .., last] = parts.as_slice() else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        assert!(fits("a | b", "a | b"));
        assert!(!fits("a | b", "a | bc"));
        assert!(fits("a | ... | x < ...", "a | f | x < 1"));
        assert!(!fits("a | ... | x < ...", "b | f | x < 1"));
        assert!(fits("...< 1", "a | f | x < 1"));
        assert!(!fits("...< 1", "a | f | x < 11"));
    }
}
