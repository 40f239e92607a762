//! The page: made from the stored results alone, standing alone, right in every number.

mod in_browser;
mod restored;

use deferlab::audit;
use deferlab::claims::page_notes;
use deferlab::report::page;
use restored::restored;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const REPORTS: &str = "reports";

/// What the page may quote: file name to content.
fn sources() -> BTreeMap<String, Value> {
    let read = |path: &Path| -> Value {
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut all = BTreeMap::new();
    all.insert("ledger.json".into(), read(&Path::new(REPORTS).join("ledger.json")));
    all.insert("audit".into(), json!({ "findings": audit::findings() }));
    for entry in std::fs::read_dir(REPORTS).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        // The figure of a document, as data.
        if name.ends_with(".json") && path.with_extension("svg").is_file() {
            all.insert(name.into(), read(&path));
        }
        let path = path.join("report.json");
        if path.is_file() {
            let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            all.insert(format!("{folder}/report.json"), read(&path));
        }
    }
    all
}

/// A number on the page: the file it quotes, where in it, all digits, the digits shown.
type Quoted = (String, String, String, String);

/// What is wrong with quoted numbers.
fn misquoted(quoted: &[Quoted], sources: &BTreeMap<String, Value>) -> Vec<String> {
    let wrong = |(file, at, exact, shown): &Quoted| {
        let Some(value) = sources.get(file).and_then(|json| json.pointer(at)) else {
            return Some(format!("{file}{at} does not exist"));
        };
        let stored = value.to_string();
        if stored != *exact {
            return Some(format!("{file}{at} is {value}, the page has {exact}"));
        }
        let (value, seen): (f64, f64) = (exact.parse().unwrap(), shown.parse().unwrap());
        let (digits, power) = shown.split_once('e').unwrap_or((shown, "0"));
        let decimals = digits.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let unit = libm::exp10(f64::from(power.parse::<i32>().unwrap() - decimals));
        let far = (value - seen).abs() > unit * 0.500001;
        far.then(|| format!("{file}{at} is {value}, the page shows {shown}"))
    };
    quoted.iter().filter_map(wrong).collect()
}

/// The value of an attribute in the tag that `text` begins with.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    Some(&tag[start..start + tag[start..].find('"')?])
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Tags in the markup, scripts and styles left out, with the text that follows each.
fn tags(page: &str) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>') else { break };
        let tag = &rest[start..=start + end];
        rest = &rest[start + end + 1..];
        for raw in ["script", "style"] {
            if tag.starts_with(&format!("<{raw}")) {
                rest = &rest[rest.find(&format!("</{raw}>")).unwrap_or(0)..];
            }
        }
        all.push((tag, &rest[..rest.find('<').unwrap_or(rest.len())]));
    }
    all
}

fn quoted(page: &str) -> Vec<Quoted> {
    let (mut file, mut base, mut all) = (String::new(), String::new(), Vec::new());
    for (tag, text) in tags(page) {
        if let Some(name) = attribute(tag, "data-file") {
            file = unescape(name);
        }
        if let Some(pointer) = attribute(tag, "data-base") {
            base = unescape(pointer);
        }
        if tag.starts_with("<data ") {
            let get = |name| unescape(attribute(tag, name).unwrap());
            all.push((
                file.clone(),
                format!("{base}/{}", get("data-at")),
                get("value"),
                text.into(),
            ));
        }
    }
    all
}

/// The series the page carries.
fn data(page: &str) -> Value {
    let mark = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(mark).unwrap() + mark.len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

/// Whether a link leads to a file of the checkout, such as the source of a check.
fn in_the_checkout(target: &str) -> bool {
    target
        .strip_prefix("../")
        .is_some_and(|path| !path.contains("..") && Path::new(&unescape(path)).is_file())
}

/// Everything that would make a browser fetch something or lead away from the project.
fn outside(page: &str) -> Vec<String> {
    // A figure may point into itself.
    let lower = page.to_lowercase().replace("url(%23", "");
    let mut found: Vec<String> = ["http:", "https:", "@import", "url(", "\"//", "import("]
        .into_iter()
        .filter(|s| lower.contains(s))
        .map(String::from)
        .collect();
    for (tag, _) in tags(page) {
        let leads =
            attribute(tag, "href").is_some_and(|a| !a.starts_with('#') && !in_the_checkout(a));
        let loads = attribute(tag, "src").is_some_and(|a| !a.starts_with("data:"));
        if leads || loads || tag.starts_with("<link") || tag.starts_with("<iframe") {
            found.push(tag.into());
        }
    }
    found
}

#[test]
fn the_stored_page_is_that_of_the_stored_results() {
    let stored = std::fs::read_to_string("reports/index.html").unwrap();
    let made = page(Path::new(REPORTS), &page_notes()).unwrap();
    assert!(
        made == page(Path::new(REPORTS), &page_notes()).unwrap(),
        "two pages of the same results"
    );
    assert!(made == stored, "reports/index.html is not up to date: run `deferlab page`");
    assert!(made.len() < 3_000_000, "{} bytes", made.len());
}

#[test]
fn the_page_stands_alone() {
    let page = page(Path::new(REPORTS), &page_notes()).unwrap();
    assert_eq!(outside(&page), [""; 0]);
    for fault in [
        "<img src=\"a.png\">",
        "<a href=\"other.html\">",
        "<a href=\"../src/claims/no_such_check.rs\">",
        "<script src=\"x.js\"></script>",
        "<style>@import 'a'</style>",
        "<p style=\"background:URL(x)\">",
        "see HTTPS://example.org",
        "<link rel=\"icon\">",
    ] {
        let spoilt = page.replacen("</main>", &format!("{fault}</main>"), 1);
        assert!(!outside(&spoilt).is_empty(), "{fault} went unseen");
    }
    let all = tags(&page);
    let ids: Vec<&str> = all.iter().filter_map(|(tag, _)| attribute(tag, "id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "an id is used twice");
    let targets = || all.iter().filter_map(|(tag, _)| attribute(tag, "href"));
    for target in targets().filter(|t| t.starts_with('#')) {
        // A filter of the table may follow: `#ledger?owner=paper`.
        let place = target[1..].split('?').next().unwrap();
        assert!(unique.contains(place), "{target} leads nowhere");
    }
    let claims = page.matches("<tbody class=\"claim\"").count();
    let checks = targets().filter(|t| t.ends_with(".rs")).count();
    assert_eq!(checks, claims, "every claim links the source of its check");
}

#[test]
fn every_number_is_the_stored_one() {
    let page = page(Path::new(REPORTS), &page_notes()).unwrap();
    let sources = sources();
    let numbers = quoted(&page);
    assert!(numbers.len() > 2000, "{}", numbers.len());
    assert_eq!(misquoted(&numbers, &sources), [""; 0]);
    for (name, figures) in data(&page).as_object().unwrap() {
        let figures: Vec<Value> = figures.as_array().unwrap().iter().map(restored).collect();
        // A figure of a document has a file of its own.
        let stored = match sources.get(&format!("{name}/report.json")) {
            Some(report) => report["figures"].clone(),
            None => Value::from(vec![sources[name].clone()]),
        };
        assert_eq!(Value::from(figures), stored, "{name}");
    }
    // One digit changed, in what is meant or in what is shown, is seen.
    let (file, at, exact, shown) = numbers[numbers.len() / 2].clone();
    let other = (file.clone(), at.clone(), format!("1{exact}"), shown.clone());
    let shown = (file.clone(), at, exact, format!("1{shown}"));
    let nowhere = (file, "/nowhere".into(), "1".into(), "1".into());
    for spoilt in [other, shown, nowhere] {
        assert_eq!(misquoted(std::slice::from_ref(&spoilt), &sources).len(), 1, "{spoilt:?}");
    }
}

/// A folder with nothing but a stand-in still gives a page, which says what it is.
#[test]
fn stand_ins_are_named_and_missing_verdicts_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let report = std::fs::read_to_string("reports/synthetic-1/report.json").unwrap();
    let name = "reuters4-1-standin";
    std::fs::create_dir(folder.path().join(name)).unwrap();
    let report = report.replacen("\"synthetic-1\"", &format!("\"{name}\""), 1);
    std::fs::write(folder.path().join(name).join("report.json"), report).unwrap();
    let page = page(folder.path(), &page_notes()).unwrap();
    assert!(page.contains("stand-in data"));
    assert!(page.contains("deferlab verify --record"));
    assert!(page.contains("deferlab reproduce reuters4-1<"));
    assert_eq!(outside(&page), [""; 0]);
}
