//! False variants of statements: with the same proof script, the checker must refuse them.
//!
//! `File.sabotage` beside `File.v` has one block for each, apart by an empty line:
//!
//! ```text
//! theorem: proj_idempotent
//! replace: proj A (proj A u) a = proj A u a
//! by: proj A (proj A u) a = u a
//! why: only zero-sum vectors stay as they are
//! ```

use super::ProofError;
use super::check::{compile, said};
use super::source::{ProofFile, ProofSources};
use ledger::SabotageResult;
use rayon::prelude::*;
use std::path::Path;

/// A false variant of a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sabotage {
    /// The file of the theorem.
    file: String,
    /// Its name.
    theorem: String,
    replace: String,
    by: String,
    why: String,
}

/// Tries every saboteur of a folder that is compiled already.
///
/// # Errors
/// A group of theorems without a saboteur, a variant that is not a statement at all, or one that the
/// checker accepted.
pub(super) fn sabotage(
    sources: &ProofSources,
    folder: &Path,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<SabotageResult>, ProofError> {
    let mut all = Vec::new();
    for file in sources.files() {
        let found = read(sources, file)?;
        if found.is_empty() && !file.theorems()?.is_empty() {
            return Err(wrong(
                &file.name,
                "no saboteur: one of its statements, made false, must be refused",
            ));
        }
        all.extend(found);
    }
    let one = |(i, s): (usize, &Sabotage)| {
        try_one(sources, folder, i, s)?;
        tell(&format!("{}: refused with {:?}", s.theorem, s.by));
        Ok(SabotageResult {
            file: s.file.clone(),
            theorem: s.theorem.clone(),
            variant: s.by.clone(),
            why: s.why.clone(),
        })
    };
    all.par_iter().enumerate().map(one).collect()
}

fn wrong(file: &str, what: &str) -> ProofError {
    ProofError::Forbidden { file: file.into(), line: 1, what: what.into() }
}

fn read(sources: &ProofSources, file: &ProofFile) -> Result<Vec<Sabotage>, ProofError> {
    let name = format!("{}.sabotage", file.module());
    let path = sources.folder().join(&name);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&file.name, &name, &text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(ProofError::Io { path, source }),
    }
}

fn parse(file: &str, name: &str, text: &str) -> Result<Vec<Sabotage>, ProofError> {
    let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
    blocks
        .map(|block| {
            let field = |key: &str| {
                let line = block.lines().find_map(|l| l.strip_prefix(key)?.strip_prefix(": "));
                line.map(String::from)
                    .ok_or_else(|| wrong(name, &format!("a block without `{key}: `")))
            };
            Ok(Sabotage {
                file: file.into(),
                theorem: field("theorem")?,
                replace: field("replace")?,
                by: field("by")?,
                why: field("why")?,
            })
        })
        .collect()
}

/// The file up to the theorem, the false statement given up at once (so that it must make sense), then
/// the false statement with the proof of the true one.
fn try_one(
    sources: &ProofSources,
    folder: &Path,
    number: usize,
    s: &Sabotage,
) -> Result<(), ProofError> {
    let file = sources.file(&s.file).ok_or_else(|| wrong(&s.file, "no such file"))?;
    let theorem = file.theorems()?.into_iter().find(|t| t.name == s.theorem);
    let theorem = theorem.ok_or_else(|| wrong(&s.file, &format!("no theorem `{}`", s.theorem)))?;
    let statement = &file.text[theorem.statement.clone()];
    if statement.matches(&s.replace).count() != 1 {
        let what = format!("`{}` must be in the statement of {} once", s.replace, s.theorem);
        return Err(wrong(&s.file, &what));
    }
    let variant = statement.replacen(&s.replace, &s.by, 1);
    let before = &file.text[..theorem.statement.start];
    let proof = &file.text[theorem.proof.clone()];
    let given_up = format!("{before}{variant}Abort.\n");
    let text = format!("{given_up}{variant}{proof}\n");
    let name = format!("Sabotage{number}.v");
    let path = folder.join(&name);
    std::fs::write(&path, text).map_err(ProofError::io(&path))?;
    let output = compile(folder, sources.library(), &name)?;
    let said = said(&output);
    let what = match error_line(&said) {
        // Sections that stay open make the end of the file an error: the proof itself went through.
        Some(_) if said.contains("still opened") || said.contains("There are pending") => {
            "was accepted"
        }
        Some(line) if line > given_up.matches('\n').count() => return Ok(()),
        Some(_) => "is not a statement",
        None => "was accepted",
    };
    let what = format!("{}: the false variant {:?} of {} {what}", s.file, s.by, s.theorem);
    Err(ProofError::Refused { what, output: said })
}

/// The line of the error in what the checker printed.
fn error_line(said: &str) -> Option<usize> {
    let at = said.find("Error")?;
    let place = said[..at].rfind(", line ")?;
    said[place + 7..].split(',').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read() {
        let text = "theorem: t\nreplace: a < b\nby: b < a\nwhy: no\n\ntheorem: u\nreplace: x\nby: y\nwhy: z\n";
        let all = parse("A.v", "A.sabotage", text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].replace.as_str(), all[0].by.as_str()), ("a < b", "b < a"));
        assert!(parse("A.v", "A.sabotage", "theorem: t\n").is_err());
    }

    #[test]
    fn the_line_of_an_error_is_found() {
        let said = "File \"./A.v\", line 3, characters 0-4:\nWarning: x\nFile \"./A.v\", line 17, characters 2-9:\nError: no\n";
        assert_eq!(error_line(said), Some(17));
        assert_eq!(error_line("fine"), None);
    }
}
