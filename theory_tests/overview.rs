//! The pages about everything: made again, and kept away from other people's experiments.

use crate::overview;
use std::path::Path;

#[test]
fn the_committed_audit_is_what_is_computed_today() {
    let committed = std::fs::read_to_string("reports/audit.md").unwrap();
    let now = overview::audit_text().unwrap();
    for (line, (a, b)) in committed.lines().zip(now.lines()).enumerate() {
        assert_eq!(a, b, "reports/audit.md, line {}: run `deferlab report`", line + 1);
    }
    assert_eq!(committed.lines().count(), now.lines().count());
    assert!(Path::new("reports/audit-phase.svg").is_file());
}

#[test]
fn a_folder_without_the_frontier_gets_no_pages() {
    let folder = tempfile::tempdir().unwrap();
    let said = overview::write(folder.path(), folder.path(), folder.path()).unwrap();
    assert!(said.is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
