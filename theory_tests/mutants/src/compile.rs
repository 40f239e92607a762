//! A tree beside the project that differs from it in the checks alone, and its test binary.

use crate::Failure;
use crate::rewrite::{CHECKS, Mutant};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Links everything but the checks and the manifest, so that the crates below are not built again.
pub fn link_tree(root: &Path, tree: &Path) -> Result<(), Failure> {
    fs::create_dir_all(tree.join(CHECKS))?;
    link(root, tree, &["target", ".git", "src", "Cargo.toml", "Cargo.lock"])?;
    link(&root.join("src"), &tree.join("src"), &["claims"])?;
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    // Of the libraries for tests the unit tests need this one alone.
    let (before, rest) =
        manifest.split_once("[dev-dependencies]").ok_or("no dev-dependencies in Cargo.toml")?;
    let (_, after) = rest.split_once("\n[").ok_or("dev-dependencies end Cargo.toml")?;
    let manifest = format!("{before}[dev-dependencies]\nproptest.workspace = true\n\n[{after}");
    if fs::read_to_string(tree.join("Cargo.toml")).ok().as_ref() != Some(&manifest) {
        fs::write(tree.join("Cargo.toml"), manifest)?;
    }
    fs::copy(root.join("Cargo.lock"), tree.join("Cargo.lock"))?;
    Ok(())
}

fn link(from: &Path, to: &Path, except: &[&str]) -> Result<(), Failure> {
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !except.iter().any(|e| name == *e) && fs::symlink_metadata(to.join(&name)).is_err() {
            symlink(from.join(&name), to.join(&name))?;
        }
    }
    Ok(())
}

pub enum Build {
    Binary(PathBuf),
    /// File and line of every error.
    Errors(Vec<(String, usize)>),
}

/// Builds the unit tests of the tree beside the dependencies of `verify`.
pub fn build(root: &Path, tree: &Path) -> Result<Build, Failure> {
    let output = Command::new("cargo")
        .args(["test", "--release", "--lib", "--no-run", "--package", "deferlab"])
        .arg("--message-format=json")
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .stderr(Stdio::inherit())
        .output()?;
    let (mut binary, mut errors) = (None, Vec::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        if let Some(path) = message["executable"].as_str() {
            binary = Some(PathBuf::from(path));
        }
        if message["message"]["level"] == "error" {
            if let Some(text) = message["message"]["rendered"].as_str() {
                eprintln!("{}", text.lines().take(4).collect::<Vec<_>>().join("\n"));
            }
            for span in message["message"]["spans"].as_array().into_iter().flatten() {
                if let (Some(file), Some(line)) =
                    (span["file_name"].as_str(), span["line_start"].as_u64())
                {
                    errors.push((file.to_owned(), usize::try_from(line)?));
                }
            }
        }
    }
    match (output.status.success(), binary) {
        (true, Some(path)) => Ok(Build::Binary(path)),
        _ => Ok(Build::Errors(errors)),
    }
}

/// The mutants whose switch stands on or before the lines in question, by names that stay.
pub fn culprits(
    tree: &Path,
    places: &[(String, usize)],
    mutants: &[Mutant],
) -> Result<BTreeSet<String>, Failure> {
    let mut wrong = BTreeSet::new();
    for (file, line) in places.iter().filter(|(file, _)| file.starts_with(CHECKS)) {
        let text = fs::read_to_string(tree.join(file))?;
        let before: Vec<&str> = text.lines().take(*line).collect();
        let number = |line: &str| -> Option<String> {
            let rest = line.trim_start().strip_prefix("crate :: claims :: mutant ::")?;
            let (id, _) = rest.split_once('(')?.1.split_once(')')?;
            Some(id.trim().trim_end_matches("u32").to_owned()).filter(|id| !id.is_empty())
        };
        let id = before.iter().rev().find_map(|l| number(l));
        wrong.extend(mutants.iter().filter(|m| Some(m.id.to_string()) == id).map(Mutant::key));
    }
    Ok(wrong)
}
