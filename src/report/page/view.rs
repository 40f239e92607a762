//! What the templates get: everything that is counted, chosen or arranged.

use super::document::{self, Targets};
use super::replication::{ReplicationView, replication};
use super::sources::{Sources, is_stand_in};
use super::tables::{self, TableView};
use super::{ClaimNote, PageNotes, rank, series};
use crate::ReportError;
use crate::{Cell, Figure, Observation, Provenance, Report};
use ledger::{Entry, Grade, Owner, ProofRecord, TheoremRecord, Verdict};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// The context of `index.html`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct View<'a> {
    version: &'static str,
    /// Seed of the ledger.
    seed: Option<u64>,
    verdicts: Vec<VerdictView>,
    owners: Vec<OwnerView>,
    graded: Option<Graded>,
    kinds: Vec<KindView>,
    replication: Vec<ReplicationView<'a>>,
    proofs: Option<ProofsView<'a>>,
    findings: Vec<FindingView<'a>>,
    claims: Vec<ClaimView<'a>>,
    not_checkable: &'a [(&'a str, &'a str)],
    experiments: Vec<ReportView<'a>>,
    frontier: Vec<ReportView<'a>>,
    left_out: &'a [String],
    audit: Vec<AuditView>,
    documents: Vec<DocumentView>,
    /// The series of all figures: the `figures` of each report, what repeats left out.
    data: String,
}

/// A verdict with what belongs to it.
#[derive(Clone, Debug, Serialize)]
struct VerdictView {
    word: String,
    slug: String,
    sign: &'static str,
    meaning: &'static str,
    count: usize,
}

/// Claims of the paper, of this project and of the implementation are counted apart.
#[derive(Clone, Debug, Serialize)]
struct OwnerView {
    owner: String,
    name: &'static str,
    total: usize,
    verdicts: Vec<VerdictView>,
}

/// How many verdicts rest on the two strongest kinds of evidence.
#[derive(Clone, Debug, Serialize)]
struct Graded {
    machine_checked: usize,
    enumerated: usize,
}

/// What the proof checker said, in numbers, and its theorems.
#[derive(Clone, Debug, Serialize)]
struct ProofsView<'a> {
    checker: &'a str,
    theorems: usize,
    claims: usize,
    saboteurs: usize,
    axioms: Vec<&'a str>,
    list: Vec<TheoremView<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct TheoremView<'a> {
    module: &'a str,
    file: &'a str,
    name: &'a str,
    claims: Vec<&'a str>,
    axioms: &'a [String],
    statement: &'a str,
    proof: &'a str,
}

/// Verdicts of one kind of claim.
#[derive(Clone, Debug, Serialize)]
struct KindView {
    kind: &'static str,
    name: &'static str,
    total: usize,
    verdicts: Vec<VerdictView>,
}

#[derive(Clone, Debug, Serialize)]
struct FindingView<'a> {
    about: &'static str,
    claim: ClaimView<'a>,
    also: Vec<ClaimView<'a>>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct ClaimView<'a> {
    #[serde(flatten)]
    entry: &'a Entry,
    /// Place in the ledger.
    index: usize,
    slug: String,
    sign: &'static str,
    /// From the most to the least comfortable.
    rank: usize,
    meaning: &'static str,
    /// Theorems about it that the proof checker accepted.
    theorems: Vec<&'a TheoremRecord>,
    /// The share of the stated number that is attained, in per cent.
    tight: Option<u64>,
    /// Other parts of the page about it.
    related: Vec<Related>,
    /// What the paper says, with its conditions.
    in_paper: Option<&'a str>,
    check_file: Option<&'a str>,
}

impl<'a> ClaimView<'a> {
    fn noted(self, notes: &[ClaimNote<'a>]) -> Self {
        let note = notes.iter().find(|n| n.id == self.entry.id);
        ClaimView {
            in_paper: note.and_then(|n| n.in_paper),
            check_file: note.map(|n| n.check),
            ..self
        }
    }
}

/// A part of the page.
#[derive(Clone, Debug, Serialize)]
struct Related {
    at: String,
    name: String,
}

#[derive(Clone, Debug, Serialize)]
struct ReportView<'a> {
    name: &'a str,
    title: &'a str,
    stand_in: bool,
    notes: &'a [String],
    observations: &'a [Observation],
    holding: usize,
    /// The first check that did not pass.
    failing: Option<&'a str>,
    /// The claim about its replication, and what the paper says of it with how many of our runs show it.
    replication: Option<ClaimView<'a>>,
    statements: Vec<StatementView<'a>>,
    /// The command that runs it again.
    again: String,
    published: Vec<TableView>,
    tables: Vec<TableView>,
    figures: Vec<FigureView<'a>>,
    provenance: &'a Provenance,
}

/// A statement of the paper about an experiment.
#[derive(Clone, Debug, Serialize)]
struct StatementView<'a> {
    rule: &'a str,
    /// Readings of what the paper leaves open, and how many of them show it.
    readings: u64,
    shown: u64,
}

#[derive(Clone, Debug, Serialize)]
struct FigureView<'a> {
    id: &'a str,
    title: &'a str,
    caption: &'a str,
    /// Number of lines: the room that the legend needs is kept free before it is drawn.
    lines: usize,
    /// Published values to draw into it: name and value, as JSON.
    published: Option<String>,
}

/// A finding of the audit, and its intervals on one scale.
#[derive(Clone, Debug, Serialize)]
struct AuditView {
    index: usize,
    /// Whether the published numbers contradict the identity.
    bad: bool,
    finding: Json,
    /// What, low, high (in per cent of the width), and whether it is the published number or fits.
    strips: Vec<Strip>,
}

#[derive(Clone, Debug, Serialize)]
struct Strip {
    name: String,
    /// JSON pointer of the interval, from the finding on.
    at: String,
    interval: Json,
    left: String,
    width: String,
    /// Off the scale.
    beyond: bool,
    role: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct DocumentView {
    name: String,
    title: String,
    html: String,
}

impl<'a> View<'a> {
    /// Arranges what was read.
    ///
    /// # Errors
    /// A figure of a document that cannot be read.
    pub(super) fn new(
        sources: &'a Sources,
        folder: &Path,
        notes: &'a PageNotes<'a>,
    ) -> Result<Self, ReportError> {
        let claims: &[Entry] = sources.ledger.as_ref().map_or(&[], |l| &l.claims);
        let proofs = sources.proofs.as_ref();
        let findings = rank::findings(claims, 3).into_iter().map(|f| FindingView {
            about: f.about,
            claim: claim(f.claim, claims, proofs),
            also: f.also.into_iter().map(|e| claim(e, claims, proofs)).collect(),
        });
        let apart = |r: &&Report| ["frontier", "witness"].iter().any(|f| r.name.starts_with(f));
        let data: Map<String, Json> = sources
            .reports
            .iter()
            .filter(|r| !r.figures.is_empty())
            .map(|r| (r.name.clone(), r.figures.iter().map(series::shared).collect()))
            .chain(
                sources.drawings.iter().map(|(name, d)| (name.clone(), json!([series::shared(d)]))),
            )
            .collect();
        let reports = |keep: &dyn Fn(&'a Report) -> bool| -> Vec<ReportView<'a>> {
            sources.reports.iter().filter(|r| keep(r)).map(|r| report(r, claims)).collect()
        };
        Ok(View {
            version: env!("CARGO_PKG_VERSION"),
            seed: sources.ledger.as_ref().map(|l| l.seed),
            verdicts: verdicts(claims),
            owners: owners(claims),
            graded: (!claims.is_empty()).then(|| graded(claims)),
            replication: replication(claims, sources),
            proofs: proofs.map(|p| proofs_view(p, claims)),
            kinds: kinds(claims),
            findings: findings.collect(),
            claims: claims.iter().map(|e| claim(e, claims, proofs).noted(&notes.claims)).collect(),
            not_checkable: notes.not_checkable,
            experiments: reports(&|r| !apart(&r)),
            frontier: reports(&|r| apart(&r)),
            left_out: &sources.left_out,
            audit: audit::findings().iter().enumerate().map(|(i, f)| strips(i, f)).collect(),
            documents: documents(sources, claims, folder)?,
            // Nothing in a string may end the element that carries the data.
            data: Json::from(data).to_string().replace('<', "\\u003c"),
        })
    }
}

fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Proved => "∎",
        Verdict::Holds => "✓",
        Verdict::Consistent => "≈",
        Verdict::Loose => "≪",
        Verdict::Vacuous => "∅",
        Verdict::Fails => "✗",
        Verdict::Inconsistent => "≠",
        Verdict::Unspecified => "?",
        Verdict::Untried => "–",
    }
}

fn verdicts<'a>(claims: impl IntoIterator<Item = &'a Entry> + Clone) -> Vec<VerdictView> {
    let view = |verdict: Verdict| VerdictView {
        word: verdict.to_string(),
        slug: verdict.to_string().to_lowercase(),
        sign: sign(verdict),
        meaning: verdict.meaning(),
        count: claims.clone().into_iter().filter(|e| e.verdict == verdict).count(),
    };
    Verdict::ALL.into_iter().map(view).collect()
}

fn owners(claims: &[Entry]) -> Vec<OwnerView> {
    let view = |owner: Owner| {
        let theirs: Vec<&Entry> = claims.iter().filter(|e| e.owner == owner).collect();
        OwnerView {
            owner: owner.to_string(),
            name: match owner {
                Owner::Paper => "of the paper",
                Owner::Project => "of our own",
                Owner::Implementation => "about this implementation",
            },
            total: theirs.len(),
            verdicts: verdicts(theirs.iter().copied()),
        }
    };
    Owner::ALL.into_iter().map(view).filter(|o| o.total > 0).collect()
}

fn graded(claims: &[Entry]) -> Graded {
    let of = |grade: Grade| claims.iter().filter(|e| e.grade == grade).count();
    Graded { machine_checked: of(Grade::MachineChecked), enumerated: of(Grade::Enumerated) }
}

fn proofs_view<'a>(record: &'a ProofRecord, claims: &[Entry]) -> ProofsView<'a> {
    let known = |id: &&str| claims.iter().any(|e| e.id == **id);
    let list = record.theorems.iter().map(|t| TheoremView {
        module: t.file.strip_suffix(".v").unwrap_or(&t.file),
        file: &t.file,
        name: &t.name,
        claims: t.claims.iter().map(String::as_str).filter(known).collect(),
        axioms: &t.axioms,
        statement: &t.statement,
        proof: &t.proof,
    });
    let list: Vec<TheoremView<'_>> = list.collect();
    let distinct = |all: Vec<&'a str>| {
        let set: std::collections::BTreeSet<&str> = all.into_iter().collect();
        set.into_iter().collect::<Vec<&str>>()
    };
    ProofsView {
        checker: &record.checker,
        theorems: list.len(),
        claims: distinct(list.iter().flat_map(|t| t.claims.clone()).collect()).len(),
        saboteurs: record.saboteurs.len(),
        axioms: distinct(
            record.theorems.iter().flat_map(|t| t.axioms.iter().map(String::as_str)).collect(),
        ),
        list,
    }
}

fn kinds(claims: &[Entry]) -> Vec<KindView> {
    const NAMES: [(&str, &str); 7] = [
        ("definition", "Definitions"),
        ("theorem", "Theorems and lemmas"),
        ("hypothesis", "Hypotheses"),
        ("constant", "Constants of proofs"),
        ("cost", "Cost of a round"),
        ("experiment", "Experiments and tables"),
        ("implementation", "Implementation here"),
    ];
    let view = |(kind, name): (&'static str, &'static str)| {
        let of_kind: Vec<&Entry> = claims.iter().filter(|e| e.kind == kind).collect();
        let verdicts = verdicts(of_kind.iter().copied());
        KindView { kind, name, total: of_kind.len(), verdicts }
    };
    NAMES.into_iter().map(view).filter(|k| k.total > 0).collect()
}

pub(super) fn claim<'a>(
    entry: &'a Entry,
    all: &[Entry],
    proofs: Option<&'a ProofRecord>,
) -> ClaimView<'a> {
    let named = |t: &&TheoremRecord| entry.proofs.contains(&t.to_string());
    ClaimView {
        entry,
        index: all.iter().position(|e| e.id == entry.id).unwrap_or(0),
        slug: entry.verdict.to_string().to_lowercase(),
        sign: sign(entry.verdict),
        rank: Verdict::ALL.iter().position(|v| *v == entry.verdict).unwrap_or(0),
        meaning: entry.verdict.meaning(),
        theorems: proofs.into_iter().flat_map(|p| &p.theorems).filter(named).collect(),
        tight: entry.tightness.as_ref().and_then(|t| {
            let share = 100.0 * t.attained.min(t.stated) / t.attained.max(t.stated);
            (t.stated > 0.0 && share.is_finite() && share >= 0.0).then_some(share as u64)
        }),
        related: related(entry),
        in_paper: None,
        check_file: None,
    }
}

/// The audit and the reports that belong to a claim, by its name and its evidence.
fn related(entry: &Entry) -> Vec<Related> {
    let mut all = Vec::new();
    if let Some(finding) = entry.id.strip_prefix("table-")
        && audit::findings().iter().any(|f| f.id == finding)
    {
        all.push(Related { at: format!("audit-{finding}"), name: "the published table".into() });
    }
    if let Some(report) = entry.evidence.get("report").and_then(Json::as_str) {
        all.push(Related { at: format!("report-{report}"), name: format!("experiment {report}") });
    }
    all
}

fn report<'a>(report: &'a Report, claims: &'a [Entry]) -> ReportView<'a> {
    let about = format!("replication-{}", report.name);
    let replication = claims.iter().find(|e| e.id == about);
    let rows = replication.and_then(|e| e.evidence.get("statements")?.as_array());
    let statement = |row: &'a Json| StatementView {
        rule: row["rule"].as_str().unwrap_or_default(),
        readings: row["readings"].as_u64().unwrap_or(0),
        shown: row["shown_by"].as_u64().unwrap_or(0),
    };
    let tables = report.tables.iter().enumerate().map(|(t, table)| tables::view(table, t));
    let (published, tables) = tables.partition(|t| t.published);
    ReportView {
        name: &report.name,
        title: &report.title,
        stand_in: is_stand_in(report),
        notes: &report.notes,
        holding: report.observations.iter().filter(|o| o.holds).count(),
        failing: report.observations.iter().find(|o| !o.holds).map(|o| o.statement.as_str()),
        replication: replication.map(|e| claim(e, claims, None)),
        statements: rows.into_iter().flatten().map(statement).collect(),
        again: crate::markdown::again(report),
        observations: &report.observations,
        published,
        tables,
        figures: report.figures.iter().map(|f| figure(f, report)).collect(),
        provenance: &report.provenance,
    }
}

fn figure<'a>(figure: &'a Figure, report: &Report) -> FigureView<'a> {
    FigureView {
        id: &figure.id,
        title: &figure.title,
        caption: &figure.caption,
        lines: figure.lines.len(),
        published: published(report, &figure.id),
    }
}

/// The published values of what a figure shows: in the table of its report that has them.
fn published(report: &Report, figure: &str) -> Option<String> {
    let metric = match figure {
        "loss" => "mean deferral loss",
        "accuracy" => "mean accuracy",
        _ => return None,
    };
    let table = report.tables.iter().find(|t| t.id == "published")?;
    let row =
        table.rows.iter().find(|row| matches!(&row[0], Cell::Text(name) if name == metric))?;
    let marked = table.columns.iter().zip(row).filter_map(|(column, cell)| match cell {
        Cell::Number { value, .. } if column.starts_with("published") => {
            Some(json!([column, value]))
        }
        _ => None,
    });
    Some(Json::from(marked.collect::<Vec<Json>>()).to_string())
}

/// Intervals of a finding on a scale that holds the published one, the stated one and the readings
/// that fit; other readings may end at its edge.
fn strips(index: usize, finding: &audit::Finding) -> AuditView {
    let finding = serde_json::to_value(finding).unwrap_or_default();
    let bad = finding["status"] == "Inconsistent";
    let mut rows = vec![
        (
            "published".to_string(),
            "published".to_string(),
            finding["published"].clone(),
            "published",
        ),
        ("as stated".to_string(), "expected".to_string(), finding["expected"].clone(), "stated"),
    ];
    for (i, reading) in finding["readings"].as_array().into_iter().flatten().enumerate() {
        let name = reading["name"].as_str().unwrap_or_default().to_string();
        let role = if reading["fits"] == true { "fits" } else { "misses" };
        let at = format!("readings/{i}/expected");
        rows.push((name, at, reading["expected"].clone(), role));
    }
    let end = |interval: &Json, key: &str| interval[key].as_f64().unwrap_or(0.0);
    let held = || rows.iter().filter(|r| r.3 != "misses");
    let low = held().map(|r| end(&r.2, "low")).fold(f64::INFINITY, f64::min);
    let high = held().map(|r| end(&r.2, "high")).fold(f64::NEG_INFINITY, f64::max);
    let margin = 0.25 * (high - low);
    let (low, high) = (low - margin, high + margin);
    let scale = if high > low { 100.0 / (high - low) } else { 0.0 };
    let strips = rows
        .into_iter()
        .map(|(name, at, interval, role)| {
            let place = |key: &str| ((end(&interval, key) - low) * scale).clamp(0.0, 100.0);
            let beyond = end(&interval, "high") < low || end(&interval, "low") > high;
            let left = format!("{:.2}", place("low"));
            let width = format!("{:.2}", place("high") - place("low"));
            Strip { name, at, interval, left, width, role, beyond }
        })
        .collect();
    AuditView { index, bad, finding, strips }
}

fn documents(
    sources: &Sources,
    claims: &[Entry],
    folder: &Path,
) -> Result<Vec<DocumentView>, ReportError> {
    let of_report =
        |r: &'_ Report| r.figures.iter().map(|f| (r.name.clone(), f.id.clone())).collect();
    let figures: Vec<(String, String)> =
        sources.reports.iter().flat_map(|r| -> Vec<(String, String)> { of_report(r) }).collect();
    let targets = Targets {
        claims: claims.iter().map(|e| e.id.as_str()).collect(),
        figures: figures.iter().map(|(r, f)| (r.as_str(), f.as_str())).collect(),
        drawings: sources.drawings.iter().map(|(name, d)| (name.as_str(), d.id())).collect(),
        reports: sources.reports.iter().map(|r| r.name.as_str()).collect(),
        documents: sources.documents.iter().map(|(name, _)| name.as_str()).collect(),
    };
    let one = |(name, text): &(String, String)| {
        let (title, html) = document::place(name, text, folder, &targets)?;
        Ok(DocumentView { name: name.clone(), title, html })
    };
    sources.documents.iter().map(one).collect()
}
