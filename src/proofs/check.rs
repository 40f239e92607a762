//! Running the checker.

use super::source::{ProofFile, ProofSources};
use super::{ALLOWED_AXIOMS, ProofError, sabotage};
use ledger::{ProofRecord, TheoremRecord};
use rayon::prelude::*;
use std::path::Path;
use std::process::{Command, Output};

/// What `coqchk` says of a library that plays no trick on the kernel.
const CLEAN: [&str; 3] = [
    "Constants/Inductives relying on type-in-type: <none>",
    "Constants/Inductives relying on unsafe (co)fixpoints: <none>",
    "Inductives whose positivity is assumed: <none>",
];

/// The checker and its version.
///
/// # Errors
/// There is none.
pub(crate) fn checker_version() -> Result<String, ProofError> {
    let output = run(Path::new("."), "coqc", &["--version"])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().next().unwrap_or_default().trim().into())
}

/// Compiles every proof of `folder` in a folder of its own, checks the compiled files a second time with `coqchk`, asks for
/// statements and axioms, and tries the saboteurs. `tell` hears of each step.
///
/// # Errors
/// A file that says what no proof may, no checker, a proof that was refused, an axiom that is not allowed, or a false variant that was
/// accepted.
pub(crate) fn check(
    folder: &Path,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<ProofRecord, ProofError> {
    let sources = &ProofSources::read(folder)?;
    let checker = checker_version()?;
    let build = tempfile::tempdir().map_err(ProofError::io(sources.folder()))?;
    let folder = build.path();
    for file in sources.files() {
        let path = folder.join(&file.name);
        std::fs::write(&path, &file.text).map_err(ProofError::io(&path))?;
    }
    for level in sources.levels()? {
        level.par_iter().try_for_each(|file| {
            let compiled = compile(folder, sources.library(), &file.name)?;
            tell(&format!("{} accepted", file.name));
            accepted(compiled, &format!("{} was refused", file.name))
        })?;
    }
    let theorems = theorems(sources, folder)?;
    tell(&format!("{} theorems stand for claims", theorems.len()));
    let (checked, saboteurs) =
        rayon::join(|| check_again(sources, folder), || sabotage(sources, folder, tell));
    checked?;
    tell("coqchk accepted every file");
    Ok(ProofRecord { checker, theorems, saboteurs: saboteurs? })
}

/// Compiles a file of `folder` with everything it rests on, then `text`, and returns what that prints: how a test
/// asks the checker to compute something.
///
/// # Errors
/// No checker, or something was refused.
pub(crate) fn evaluate(folder: &Path, file: &str, text: &str) -> Result<String, ProofError> {
    let sources = ProofSources::read(folder)?;
    let build = tempfile::tempdir().map_err(ProofError::io(sources.folder()))?;
    let folder = build.path();
    let needed = sources.closure(file);
    for level in sources.levels()? {
        for file in level.into_iter().filter(|f| needed.contains(&f.name)) {
            let path = folder.join(&file.name);
            std::fs::write(&path, &file.text).map_err(ProofError::io(&path))?;
            let compiled = compile(folder, sources.library(), &file.name)?;
            accepted(compiled, &format!("{} was refused", file.name))?;
        }
    }
    let path = folder.join("Evaluated.v");
    std::fs::write(&path, text).map_err(ProofError::io(&path))?;
    let output = compile(folder, sources.library(), "Evaluated.v")?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    accepted(output, "the points were refused")?;
    Ok(printed)
}

/// Runs a program of the checker.
fn run(folder: &Path, program: &str, args: &[&str]) -> Result<Output, ProofError> {
    let output = Command::new(program).args(args).current_dir(folder).output();
    output.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => ProofError::NoChecker { program: program.into() },
        _ => ProofError::Io { path: program.into(), source: e },
    })
}

/// Compiles one file; what it rests on is compiled already.
pub(super) fn compile(folder: &Path, library: &str, file: &str) -> Result<Output, ProofError> {
    run(folder, "coqc", &["-q", "-Q", ".", library, file])
}

fn accepted(output: Output, refused: &str) -> Result<(), ProofError> {
    match output.status.success() {
        true => Ok(()),
        false => Err(ProofError::Refused { what: refused.into(), output: said(&output) }),
    }
}

/// Everything a run printed.
pub(super) fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// `coqchk` reads the compiled files with a small kernel of its own.
fn check_again(sources: &ProofSources, folder: &Path) -> Result<(), ProofError> {
    let modules: Vec<String> =
        sources.files().iter().map(|f| format!("{}.{}", sources.library(), f.module())).collect();
    let mut args = vec!["-silent", "-o", "-Q", ".", sources.library()];
    args.extend(modules.iter().map(String::as_str));
    let output = run(folder, "coqchk", &args)?;
    let text = said(&output);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match CLEAN.iter().find(|line| !flat.contains(**line)) {
        None => accepted(output, "coqchk refused the compiled files"),
        Some(line) => {
            let what = format!("coqchk did not say {line:?}");
            Err(ProofError::Refused { what, output: text })
        }
    }
}

/// Statement and axioms of every theorem that stands for a claim, as the checker prints them.
fn theorems(sources: &ProofSources, folder: &Path) -> Result<Vec<TheoremRecord>, ProofError> {
    let per_file = |file: &ProofFile| questions(sources, folder, file);
    let all: Vec<Vec<TheoremRecord>> =
        sources.files().par_iter().map(per_file).collect::<Result<_, _>>()?;
    Ok(all.concat())
}

fn questions(
    sources: &ProofSources,
    folder: &Path,
    file: &ProofFile,
) -> Result<Vec<TheoremRecord>, ProofError> {
    let found = file.theorems()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let (library, module) = (sources.library(), file.module());
    let mut ask = format!(
        "From {library} Require Import {module}.\nSet Printing Width 100.\nSet Printing Depth 1000.\n"
    );
    for theorem in &found {
        let name = &theorem.name;
        ask += &format!(
            "Goal True. idtac \"=== statement\". Abort.\nCheck {module}.{name}.\n\
             Goal True. idtac \"=== axioms\". Abort.\nPrint Assumptions {module}.{name}.\n"
        );
    }
    let asking = format!("Ask{module}.v");
    let path = folder.join(&asking);
    std::fs::write(&path, ask).map_err(ProofError::io(&path))?;
    let output = compile(folder, library, &asking)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    accepted(output, &format!("{}: its theorems cannot be shown", file.name))?;
    let answers: Vec<&str> = text.split("=== statement").skip(1).collect();
    let hash = sources.closure_sha256(&file.name).unwrap_or_default();
    found
        .into_iter()
        .zip(answers)
        .map(|(theorem, answer)| {
            let (statement, axioms) = answer.split_once("=== axioms").unwrap_or((answer, ""));
            let axioms = axioms_in(axioms);
            let wrong = axioms.iter().find(|a| !is_allowed(a));
            if let Some(axiom) = wrong {
                let what = format!("{}: {} rests on `{axiom}`", file.name, theorem.name);
                return Err(ProofError::Refused { what, output: answer.into() });
            }
            Ok(TheoremRecord {
                name: theorem.name,
                file: file.name.clone(),
                stance: theorem.stance,
                claims: theorem.claims,
                statement: statement_in(statement),
                proof: file.text[theorem.proof].to_string(),
                axioms,
                source_sha256: hash.clone(),
            })
        })
        .collect()
}

/// By its full name: a part of one, such as `classic` alone, could be anybody's.
fn is_allowed(axiom: &str) -> bool {
    ALLOWED_AXIOMS.contains(&axiom)
}

/// What follows the colon of `name : statement`, on lines as the checker breaks them.
fn statement_in(answer: &str) -> String {
    let answer = answer.trim();
    let from = answer.find(" : ").map_or(0, |at| at + 3);
    let lines: Vec<&str> = answer[from..].lines().collect();
    let indent = |l: &&str| l.len() - l.trim_start().len();
    let common = lines.iter().skip(1).filter(|l| !l.trim().is_empty()).map(indent).min();
    let cut = |(i, l): (usize, &&str)| match i {
        0 => l.trim().to_string(),
        _ => l.get(common.unwrap_or(0)..).unwrap_or("").trim_end().to_string(),
    };
    lines.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}

/// Names in front of the colons of `Axioms:`; none where the theorem is closed.
fn axioms_in(answer: &str) -> Vec<String> {
    let Some((_, list)) = answer.split_once("Axioms:") else { return Vec::new() };
    // Types go on in lines that are indented.
    let names = list.lines().filter(|l| l.starts_with(|c: char| !c.is_whitespace()));
    names.filter_map(|l| l.split_whitespace().next()).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_names_of_known_axioms_are_allowed() {
        assert!(is_allowed("Classical_Prop.classic"));
        for axiom in ["classic", "c", "Lib.classic", "Lib.Classical_Prop.classic", ""] {
            assert!(!is_allowed(axiom), "{axiom}");
        }
    }

    #[test]
    fn answers_are_taken_apart() {
        let answer = "\nname\n     : forall x : R,\n       0 <= x -> x < 1\n";
        assert_eq!(statement_in(answer), "forall x : R,\n0 <= x -> x < 1");
        let axioms = "Axioms:\nA.b : forall x,\n  y\nc.d\n  : True\n";
        assert_eq!(axioms_in(axioms), ["A.b", "c.d"]);
        assert!(axioms_in("Closed under the global context\n").is_empty());
    }
}
