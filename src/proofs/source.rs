//! The files of a proof folder: what they import, which theorems they hold, what they must not say.

use super::{ProofError, marker};
use lab::sha256_hex;
use ledger::Stance;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A folder of proofs, in the order of its `_CoqProject`.
#[derive(Clone, Debug)]
pub(super) struct ProofSources {
    folder: PathBuf,
    /// The logical name of the library.
    library: String,
    files: Vec<ProofFile>,
}

/// One file.
#[derive(Clone, Debug)]
pub(super) struct ProofFile {
    /// With its ending.
    pub(super) name: String,
    /// As it is.
    pub(super) text: String,
    /// The same, comments and strings blanked, so that words in them do not count.
    code: String,
    /// Files of the folder that it imports.
    imports: Vec<String>,
}

/// A theorem that stands for claims, as the source has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceTheorem {
    pub(super) name: String,
    pub(super) stance: Stance,
    pub(super) claims: Vec<String>,
    /// From the word `Theorem` to the full stop before `Proof`.
    pub(super) statement: std::ops::Range<usize>,
    /// From the word `Proof` to `Qed.`
    pub(super) proof: std::ops::Range<usize>,
}

/// Words that no file may have, with what they would allow.
const FORBIDDEN: [(&str, &str); 21] = [
    ("Admitted", "leaves a proof out"),
    ("admit", "leaves a proof out"),
    ("give_up", "leaves a proof out"),
    ("Admit", "leaves a proof out"),
    ("Axiom", "assumes without proof"),
    ("Axioms", "assumes without proof"),
    ("Parameter", "assumes without proof"),
    ("Parameters", "assumes without proof"),
    ("Conjecture", "assumes without proof"),
    ("Conjectures", "assumes without proof"),
    ("Primitive", "adds to the kernel"),
    ("Register", "adds to the kernel"),
    ("bypass_check", "turns a check of the kernel off"),
    ("Guard", "turns a check of the kernel off"),
    ("Positivity", "turns a check of the kernel off"),
    ("Universe", "turns a check of the kernel off"),
    ("native_compute", "trusts a compiler"),
    ("Load", "reads a file that is not listed"),
    ("LoadPath", "reads a file that is not listed"),
    ("Redirect", "writes a file"),
    ("Drop", "leaves the checker"),
];

/// Words that assume something outside a section and only name a premise inside one.
const SECTION_ONLY: [&str; 5] = ["Variable", "Variables", "Hypothesis", "Hypotheses", "Context"];

impl ProofSources {
    /// Reads a folder and what its `_CoqProject` lists, nothing else.
    ///
    /// # Errors
    /// A file is missing or not listed, or has a word that no proof may have.
    pub(super) fn read(folder: &Path) -> Result<Self, ProofError> {
        let project = folder.join("_CoqProject");
        let listed = std::fs::read_to_string(&project).map_err(ProofError::io(&project))?;
        let mut library = String::new();
        let mut names = Vec::new();
        for (i, line) in listed.lines().map(str::trim).enumerate() {
            match line.strip_prefix("-Q . ") {
                Some(name) => library = name.into(),
                None if line.ends_with(".v") && !line.contains('/') => names.push(line.to_string()),
                None if line.is_empty() => {}
                None => {
                    let what = format!("{line:?}: expected `-Q . Library` or the name of a file");
                    return Err(ProofError::Forbidden {
                        file: "_CoqProject".into(),
                        line: i + 1,
                        what,
                    });
                }
            }
        }
        let known: BTreeSet<String> = names.iter().cloned().collect();
        for entry in std::fs::read_dir(folder).map_err(ProofError::io(folder))? {
            let name = entry.map_err(ProofError::io(folder))?.file_name();
            let name = name.to_string_lossy().into_owned();
            if name.ends_with(".v") && !known.contains(&name) {
                let what = "not listed in _CoqProject, so nobody checks it".into();
                return Err(ProofError::Forbidden { file: name, line: 1, what });
            }
        }
        let mut files = Vec::new();
        for name in names {
            let path = folder.join(&name);
            let text = std::fs::read_to_string(&path).map_err(ProofError::io(&path))?;
            let code = without_comments(&text);
            look_for_forbidden(&name, &code)?;
            let imports = imports(&code, &library)
                .into_iter()
                .map(|module| format!("{module}.v"))
                .filter(|file| known.contains(file))
                .collect();
            files.push(ProofFile { name, text, code, imports });
        }
        Ok(ProofSources { folder: folder.into(), library, files })
    }

    /// Where they are.
    #[must_use]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files, in the order of `_CoqProject`.
    #[must_use]
    pub(super) fn files(&self) -> &[ProofFile] {
        &self.files
    }

    pub(super) fn library(&self) -> &str {
        &self.library
    }

    pub(super) fn file(&self, name: &str) -> Option<&ProofFile> {
        self.files.iter().find(|f| f.name == name)
    }

    /// A file and everything of the folder it rests on; nothing for a file that is not there.
    pub(super) fn closure(&self, name: &str) -> BTreeSet<String> {
        let mut closure = BTreeSet::new();
        let mut open: Vec<&ProofFile> = self.file(name).into_iter().collect();
        while let Some(file) = open.pop() {
            if closure.insert(file.name.clone()) {
                open.extend(file.imports.iter().filter_map(|import| self.file(import)));
            }
        }
        closure
    }

    /// SHA-256 over a file and everything of the folder it rests on, names included; none for a file
    /// that is not there.
    #[must_use]
    pub(super) fn closure_sha256(&self, name: &str) -> Option<String> {
        self.file(name)?;
        let closure = self.closure(name);
        let mut bytes = Vec::new();
        for file in self.files.iter().filter(|f| closure.contains(&f.name)) {
            for part in [&file.name, &file.text] {
                bytes.extend((part.len() as u64).to_le_bytes());
                bytes.extend(part.as_bytes());
            }
        }
        Some(sha256_hex(&bytes))
    }

    /// The names of files in groups that can be compiled one group after the other.
    pub(super) fn levels(&self) -> Result<Vec<Vec<&ProofFile>>, ProofError> {
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut levels = Vec::new();
        while done.len() < self.files.len() {
            let ready: Vec<&ProofFile> = self
                .files
                .iter()
                .filter(|f| !done.contains(f.name.as_str()))
                .filter(|f| f.imports.iter().all(|i| done.contains(i.as_str())))
                .collect();
            if ready.is_empty() {
                let file = self.files.iter().find(|f| !done.contains(f.name.as_str()));
                let file = file.map(|f| f.name.clone()).unwrap_or_default();
                let what = "imports itself in a circle".into();
                return Err(ProofError::Forbidden { file, line: 1, what });
            }
            done.extend(ready.iter().map(|f| f.name.as_str()));
            levels.push(ready);
        }
        Ok(levels)
    }
}

impl ProofFile {
    /// The module's name.
    pub(super) fn module(&self) -> &str {
        self.name.strip_suffix(".v").unwrap_or(&self.name)
    }

    /// Comments that name claims, in the order of the file.
    fn markers(&self) -> Vec<(Stance, usize, &str)> {
        let mut all: Vec<(Stance, usize, &str)> = [Stance::Proves, Stance::Refutes, Stance::About]
            .into_iter()
            .flat_map(|stance| {
                let found = self.text.match_indices(marker(stance));
                found.map(move |(at, marker)| (stance, at, marker))
            })
            .collect();
        all.sort_by_key(|(_, at, _)| *at);
        all
    }

    /// The theorems with a comment before them that names claims.
    ///
    /// # Errors
    /// A claim comment that no theorem follows.
    pub(super) fn theorems(&self) -> Result<Vec<SourceTheorem>, ProofError> {
        let mut all = Vec::new();
        for (stance, at, marker) in self.markers() {
            let line = self.text[..at].matches('\n').count() + 1;
            let wrong = |what: &str| ProofError::Forbidden {
                file: self.name.clone(),
                line,
                what: what.into(),
            };
            let rest = &self.text[at + marker.len()..];
            let end = rest.find("*)").ok_or_else(|| wrong("a comment that does not end"))?;
            let claims = rest[..end].split(',').map(|id| id.trim().to_string()).collect();
            let after = at + marker.len() + end + 2;
            let start = after + self.code[after..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
            let declared = self.code[start..].strip_prefix("Theorem ");
            let declared = declared.ok_or_else(|| wrong("expected `Theorem` after a claim"))?;
            let name: String =
                declared.chars().take_while(|c| c.is_alphanumeric() || "_'".contains(*c)).collect();
            let length = self.code[start..].find("Proof");
            let length = length.ok_or_else(|| wrong("a theorem without `Proof.`"))?;
            let proof = start + length;
            let end = self.code[proof..].find("Qed.");
            let end = end.ok_or_else(|| wrong("a proof without `Qed.`"))? + "Qed.".len();
            let (statement, proof) = (start..proof, proof..proof + end);
            all.push(SourceTheorem { name, stance, claims, statement, proof });
        }
        Ok(all)
    }
}

/// Comments and strings as blanks, line ends kept. Comments nest.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut in_string) = (0usize, false);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let take = if !in_string && rest.starts_with("(*") {
            depth += 1;
            2
        } else if !in_string && depth > 0 && rest.starts_with("*)") {
            depth -= 1;
            out.push_str("  ");
            rest = &rest[2..];
            continue;
        } else {
            in_string ^= c == '"';
            c.len_utf8()
        };
        let blank = depth > 0 || in_string || c == '"';
        for b in rest[..take].chars() {
            match b {
                '\n' => out.push('\n'),
                _ if blank => out.extend(std::iter::repeat_n(' ', b.len_utf8())),
                _ => out.push(b),
            }
        }
        rest = &rest[take..];
    }
    out
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || "_'.".contains(c)))
        .map(|w| w.trim_matches('.'))
        .filter(|w| !w.is_empty())
}

/// Sentences of the code, each with the line it begins on. A full stop before white space ends one.
fn sentences(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut line = 1;
    code.split_inclusive(". ").flat_map(|part| part.split_inclusive(".\n")).map(move |sentence| {
        let blank = sentence.len() - sentence.trim_start().len();
        let begins = line + sentence[..blank].matches('\n').count();
        line += sentence.matches('\n').count();
        (begins, sentence)
    })
}

fn look_for_forbidden(file: &str, code: &str) -> Result<(), ProofError> {
    let mut sections = 0usize;
    for (line, sentence) in sentences(code) {
        let wrong = |what: String| ProofError::Forbidden { file: file.into(), line, what };
        let first = words(sentence).next().unwrap_or_default();
        match first {
            "Section" => sections += 1,
            "End" => sections = sections.saturating_sub(1),
            _ => {}
        }
        for word in words(sentence) {
            if let Some((_, why)) = FORBIDDEN.iter().find(|(w, _)| *w == word) {
                return Err(wrong(format!("`{word}` {why}")));
            }
        }
        if first == "Declare" && words(sentence).nth(1) == Some("ML") {
            return Err(wrong("`Declare ML Module` loads code into the checker".into()));
        }
        let assumes = words(sentence).take(2).find(|w| SECTION_ONLY.contains(w));
        if let (0, Some(word)) = (sections, assumes) {
            return Err(wrong(format!("`{word}` outside a section assumes without proof")));
        }
    }
    Ok(())
}

/// Modules of the library that are imported: `From Library Require Import A B.`
fn imports(code: &str, library: &str) -> Vec<String> {
    let start = format!("From {library} Require");
    let mut all = Vec::new();
    for (at, found) in code.match_indices(&start) {
        let rest = &code[at + found.len()..];
        let end = rest.find(". ").into_iter().chain(rest.find(".\n")).min().unwrap_or(rest.len());
        let named = rest[..end].split_whitespace().filter(|w| !["Import", "Export"].contains(w));
        all.extend(named.map(String::from));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<ProofSources, ProofError>) {
        let folder = tempfile::tempdir().unwrap();
        let mut project = String::from("-Q . Lib\n");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
            project += &format!("{name}\n");
        }
        std::fs::write(folder.path().join("_CoqProject"), project).unwrap();
        let read = ProofSources::read(folder.path());
        (folder, read)
    }

    #[test]
    fn comments_and_strings_do_not_count() {
        let text = "a (* Admitted (* in *) Axiom *) b \"Admitted\" c\n(* x\n *)d";
        let code = without_comments(text);
        assert_eq!(code.len(), text.len());
        assert_eq!(words(&code).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
        assert_eq!(code.matches('\n').count(), 2);
    }

    #[test]
    fn tricks_are_refused() {
        let tricks = [
            "Lemma a : False. Admitted.",
            "Lemma a : False. Proof. admit. Qed.",
            "Axiom a : False.",
            "Parameter a : False.",
            "Conjecture a : False.",
            "Variable a : False.",
            "Hypothesis a : False.",
            "Unset Guard Checking.",
            "Unset Positivity Checking.",
            "Unset Universe Checking.",
            "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
            "Declare ML Module \"x\".",
            "Load other.",
            "Section A. End A.\nContext (a : False).",
        ];
        for trick in tricks {
            let (_kept, read) = folder(&[("A.v", trick)]);
            assert!(matches!(read, Err(ProofError::Forbidden { .. })), "{trick}");
        }
        let fine = "Section A.\nVariable a : nat.\nHypothesis h : a = a.\nEnd A.\n(* Admitted *)";
        let (_kept, read) = folder(&[("A.v", fine)]);
        assert!(read.is_ok());
    }

    #[test]
    fn a_file_that_is_not_listed_is_refused() {
        let (kept, _) = folder(&[("A.v", "")]);
        std::fs::write(kept.path().join("B.v"), "").unwrap();
        let error = ProofSources::read(kept.path()).unwrap_err().to_string();
        assert!(error.contains("B.v") && error.contains("not listed"), "{error}");
    }

    #[test]
    fn a_hash_covers_what_a_file_rests_on() {
        let b = ("B.v", "From Lib Require Import A.\n");
        let (_kept, one) = folder(&[("A.v", "Definition a := 1."), b, ("C.v", "")]);
        let (_kept2, two) = folder(&[("A.v", "Definition a := 2."), b, ("C.v", "")]);
        let (one, two) = (one.unwrap(), two.unwrap());
        assert_ne!(one.closure_sha256("B.v"), two.closure_sha256("B.v"));
        assert_eq!(one.closure_sha256("C.v"), two.closure_sha256("C.v"));
        assert_eq!(one.closure_sha256("D.v"), None);
        let names = |l: &[&ProofFile]| l.iter().map(|f| f.name.clone()).collect::<Vec<_>>();
        let levels = one.levels().unwrap();
        assert_eq!(
            levels.iter().map(|l| names(l)).collect::<Vec<_>>(),
            [vec!["A.v", "C.v"], vec!["B.v"]]
        );
    }

    #[test]
    fn theorems_follow_their_claims() {
        let text = "(* claim: one, two *)\nTheorem t' : True.\nProof. exact I. Qed.\n\
                    Theorem other : True. Proof. exact I. Qed.\n";
        let (_kept, read) = folder(&[("A.v", text)]);
        let theorems = read.unwrap().files()[0].theorems().unwrap();
        assert_eq!(theorems.len(), 1);
        assert_eq!(
            (theorems[0].name.as_str(), theorems[0].claims.join(" ")),
            ("t'", "one two".into())
        );
        assert_eq!(text[theorems[0].statement.clone()].trim(), "Theorem t' : True.");
        let (_kept, read) =
            folder(&[("A.v", "(* claim: one *)\nLemma x : True. Proof. exact I. Qed.")]);
        assert!(read.unwrap().files()[0].theorems().is_err());
    }
}
