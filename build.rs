//! Puts the commit into `deferlab --version`. Only in release builds: a debug build would otherwise be
//! compiled again after every commit.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=PROFILE");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    // A commit appends to the log of HEAD, and so does a checkout. Without it this is not a checkout.
    let log = Path::new(".git/logs/HEAD");
    if !log.is_file() {
        return;
    }
    println!("cargo::rerun-if-changed={}", log.display());
    let output = Command::new("git").args(["rev-parse", "--short=9", "HEAD"]).output();
    if let Ok(output) = output
        && output.status.success()
    {
        let version = env!("CARGO_PKG_VERSION");
        let commit = String::from_utf8_lossy(&output.stdout).trim().to_string();
        println!("cargo::rustc-env=DEFERLAB_COMMIT={version} ({commit})");
    }
}
