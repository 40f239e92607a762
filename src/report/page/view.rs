//! What the templates get: everything that is counted, chosen or arranged.

use super::document::{self, Targets};
use super::sources::{Sources, is_stand_in};
use super::tables::{self, TableView};
use super::{PageError, rank, series};
use crate::{Figure, Observation, Provenance, Report};
use ledger::proofs::{ProofRecord, TheoremRecord};
use ledger::{Entry, Verdict};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::path::Path;

/// The context of `index.html`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct View<'a> {
    version: &'static str,
    /// Seed of the ledger.
    seed: Option<u64>,
    verdicts: Vec<VerdictView>,
    kinds: Vec<KindView>,
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
struct ClaimView<'a> {
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
}

#[derive(Clone, Debug, Serialize)]
struct ReportView<'a> {
    name: &'a str,
    title: &'a str,
    stand_in: bool,
    notes: &'a [String],
    observations: &'a [Observation],
    holding: usize,
    published: Vec<TableView>,
    tables: Vec<TableView>,
    figures: Vec<FigureView<'a>>,
    provenance: &'a Provenance,
}

#[derive(Clone, Debug, Serialize)]
struct FigureView<'a> {
    id: &'a str,
    title: &'a str,
    caption: &'a str,
}

/// A finding of the audit, and its intervals on one scale.
#[derive(Clone, Debug, Serialize)]
struct AuditView {
    index: usize,
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
        not_checkable: &'a [(&'a str, &'a str)],
    ) -> Result<Self, PageError> {
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
            .collect();
        Ok(View {
            version: env!("CARGO_PKG_VERSION"),
            seed: sources.ledger.as_ref().map(|l| l.seed),
            verdicts: verdicts(claims),
            kinds: kinds(claims),
            findings: findings.collect(),
            claims: claims.iter().map(|e| claim(e, claims, proofs)).collect(),
            not_checkable,
            experiments: sources.reports.iter().filter(|r| !apart(r)).map(report).collect(),
            frontier: sources.reports.iter().filter(apart).map(report).collect(),
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

fn claim<'a>(entry: &'a Entry, all: &[Entry], proofs: Option<&'a ProofRecord>) -> ClaimView<'a> {
    let named = |t: &&TheoremRecord| {
        let name = format!("{}.{}", t.module(), t.name);
        entry.proofs.contains(&name)
    };
    ClaimView {
        entry,
        index: all.iter().position(|e| e.id == entry.id).unwrap_or(0),
        slug: entry.verdict.to_string().to_lowercase(),
        sign: sign(entry.verdict),
        rank: Verdict::ALL.iter().position(|v| *v == entry.verdict).unwrap_or(0),
        meaning: entry.verdict.meaning(),
        theorems: proofs.into_iter().flat_map(|p| &p.theorems).filter(named).collect(),
    }
}

fn report(report: &Report) -> ReportView<'_> {
    let tables = report.tables.iter().enumerate().map(|(t, table)| tables::view(table, t));
    let (published, tables) = tables.partition(|t| t.published);
    ReportView {
        name: &report.name,
        title: &report.title,
        stand_in: is_stand_in(report),
        notes: &report.notes,
        holding: report.observations.iter().filter(|o| o.holds).count(),
        observations: &report.observations,
        published,
        tables,
        figures: report.figures.iter().map(figure).collect(),
        provenance: &report.provenance,
    }
}

fn figure(figure: &Figure) -> FigureView<'_> {
    FigureView { id: &figure.id, title: &figure.title, caption: &figure.caption }
}

/// Intervals of a finding on a scale that holds the published one, the stated one and the readings
/// that fit; other readings may end at its edge.
fn strips(index: usize, finding: &audit::Finding) -> AuditView {
    let finding = serde_json::to_value(finding).unwrap_or_default();
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
    AuditView { index, finding, strips }
}

fn documents(
    sources: &Sources,
    claims: &[Entry],
    folder: &Path,
) -> Result<Vec<DocumentView>, PageError> {
    let of_report =
        |r: &'_ Report| r.figures.iter().map(|f| (r.name.clone(), f.id.clone())).collect();
    let figures: Vec<(String, String)> =
        sources.reports.iter().flat_map(|r| -> Vec<(String, String)> { of_report(r) }).collect();
    let targets = Targets {
        claims: claims.iter().map(|e| e.id.as_str()).collect(),
        figures: figures.iter().map(|(r, f)| (r.as_str(), f.as_str())).collect(),
        reports: sources.reports.iter().map(|r| r.name.as_str()).collect(),
        documents: sources.documents.iter().map(|(name, _)| name.as_str()).collect(),
    };
    let one = |(name, text): &(String, String)| {
        let (title, html) = document::place(name, text, folder, &targets)?;
        Ok(DocumentView { name: name.clone(), title, html })
    };
    sources.documents.iter().map(one).collect()
}
