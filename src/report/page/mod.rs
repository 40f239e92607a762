//! The report people look at: one HTML file with every claim, experiment and finding.
//!
//! Made from what is stored in the reports folder and from the audit, which is computed. Text and
//! tables are HTML before any script runs; figures are drawn in the page from the series of the
//! stored reports, which it carries unchanged. Nothing is fetched, and the same folder gives the
//! same bytes.
//!
//! | question | file |
//! |---|---|
//! | what is read? | `sources` |
//! | what is put before the template? | `view` |
//! | which findings come first? | `rank` |
//! | did the experiments replicate? | `replication` |
//! | how is a number shown, and how does it say where it comes from? | `number` |
//! | how do figures carry their series? | `series` |
//! | how do formulas in plain text become readable? | `formula` |
//! | how are Markdown documents placed? | `document` |
//! | what does it look like? | `templates/` |

mod document;
mod formula;
mod number;
mod rank;
mod replication;
mod series;
mod sources;
mod tables;
mod view;

use crate::ReportError;
use minijinja::Value;
use minijinja::value::{Serde, ValueKind};
use sources::Sources;
use std::path::Path;

const TEMPLATES: [(&str, &str); 11] = [
    ("index.html", include_str!("templates/index.html")),
    ("first.html", include_str!("templates/first.html")),
    ("ledger.html", include_str!("templates/ledger.html")),
    ("proofs.html", include_str!("templates/proofs.html")),
    ("glossary.html", include_str!("templates/glossary.html")),
    ("experiment.html", include_str!("templates/experiment.html")),
    ("audit.html", include_str!("templates/audit.html")),
    ("value.html", include_str!("templates/value.html")),
    ("style.css", include_str!("templates/style.css")),
    ("figure.js", include_str!("templates/figure.js")),
    ("page.js", include_str!("templates/page.js")),
];

/// What the page says beyond the files of its folder.
#[derive(Clone, Debug, Default)]
pub struct PageNotes<'a> {
    /// Statements without a verdict, each with the reason.
    pub not_checkable: &'a [(&'a str, &'a str)],
    /// About single claims.
    pub claims: Vec<ClaimNote<'a>>,
}

/// What the page says about a claim beyond its entry in the ledger.
#[derive(Clone, Copy, Debug)]
pub struct ClaimNote<'a> {
    /// The claim.
    pub id: &'a str,
    /// What the paper says, with the conditions that it adds anywhere.
    pub in_paper: Option<&'a str>,
    /// Where its check is.
    pub check: &'a str,
}

/// The page of a reports folder, `index.html` in it.
///
/// # Errors
/// Names the file that is missing, unreadable or not what it should be.
pub fn page(folder: &Path, notes: &PageNotes<'_>) -> Result<String, ReportError> {
    let sources = Sources::read(folder)?;
    let view = view::View::new(&sources, folder, notes)?;
    render(Value::from(Serde(&view))).map_err(ReportError::PageTemplate)
}

fn render(view: Value) -> Result<String, minijinja::Error> {
    let mut environment = crate::template::environment()?;
    environment.add_filter("formula", |text: &str| Value::from_safe_string(formula::html(text)));
    environment.add_filter("words", |text: &str| ledger::markdown::words(text));
    environment.add_filter("pointer", |key: &str| key.replace('~', "~0").replace('/', "~1"));
    environment.add_filter("exact", number::exact);
    environment.add_filter("short", number::short);
    environment.add_filter("pretty", number::pretty);
    environment.add_filter("compact", number::compact);
    environment.add_test("records", records);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    environment.get_template("index.html")?.render(view)
}

/// A list of objects with the same keys: best shown as a table.
fn records(value: Value) -> bool {
    let keys = |v: &Value| match v.kind() {
        ValueKind::Map => v.try_iter().ok().map(|keys| keys.collect::<Vec<_>>()),
        _ => None,
    };
    let Ok(items) = value.try_iter().map(|items| items.collect::<Vec<_>>()) else { return false };
    value.kind() == ValueKind::Seq
        && items.first().and_then(keys).is_some()
        && items.windows(2).all(|pair| keys(&pair[0]) == keys(&pair[1]))
}
