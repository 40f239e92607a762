//! `docs/experiment-files.md`: every key of an experiment file, made from the types that read it, so that
//! the page cannot fall behind them. After a change: `DEFERLAB_UPDATE=1 cargo test experiment_reference`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const PAGE: &str = "docs/experiment-files.md";

/// Where the types of experiment files are.
const SOURCES: [&str; 18] = [
    "src/lab/experiment/spec/mod.rs",
    "src/lab/experiment/spec/kinds.rs",
    "src/lab/experiment/spec/questions.rs",
    "src/lab/experiment/spec/streams.rs",
    "src/lab/experiment/spec/policies.rs",
    "src/lab/experiment/spec/peers.rs",
    "src/lab/experiment/data.rs",
    "src/lab/experiment/network_spec.rs",
    "src/lab/data/classes.rs",
    "src/lab/stream",
    "src/lab/stream/crew",
    "src/lab/stream/synthetic",
    "src/learner/config.rs",
    "src/learner/schedule.rs",
    "src/learner/router.rs",
    "src/learner/square_cb.rs",
    "src/learner/surrogate/mod.rs",
    "src/problem",
];

/// A struct (its keys) or an enum (its choices).
#[derive(Default)]
struct Type {
    about: String,
    is_enum: bool,
    /// How it is written, where that does not follow from the table.
    written: &'static str,
    keys: Vec<Key>,
}

struct Key {
    name: String,
    /// As the source has it; empty for a choice without settings.
    rust: String,
    required: bool,
    about: String,
    /// Settings of a choice.
    inner: Vec<Key>,
}

/// The types in a source file that rustfmt has laid out.
fn types(text: &str, found: &mut BTreeMap<String, Type>) {
    let (mut about, mut attributes) = (String::new(), String::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            sentence(&mut about, doc);
        } else if line.starts_with("#[") {
            attributes += line;
        } else if line == "kinds! {" {
            kinds(&mut lines, found);
        } else {
            let item = visible(line);
            let head = |word: &str| Some(item?.strip_prefix(word)?.strip_suffix(" {")?.to_string());
            let (of_struct, of_enum) = (head("struct "), head("enum "));
            if let Some(name) = of_struct.clone().or_else(|| of_enum.clone()) {
                let all_optional =
                    attributes.contains(", default)") || attributes.contains("(default");
                // What is read by hand says in its documentation how.
                let by_hand = !attributes.contains("Deserialize");
                let is_enum = of_enum.is_some();
                let mut keys = keys(&mut lines, "    ", all_optional || by_hand, is_enum);
                let settings = keys.iter().any(|k| !k.rust.is_empty() || !k.inner.is_empty());
                let written = match (is_enum, by_hand) {
                    (true, false) if attributes.contains("tag = \"name\"") => {
                        "Written as `{ name = \"choice\", setting = .. }`."
                    }
                    (true, false) if settings => "Written as `{ choice = setting }`.",
                    (true, false) => "Written as text, such as `\"choice\"`.",
                    _ => "",
                };
                if is_enum && by_hand {
                    keys.iter_mut().for_each(|key| key.name.clear());
                }
                let about = std::mem::take(&mut about);
                found.entry(name).or_insert(Type { about, is_enum, written, keys });
            }
            about.clear();
            attributes.clear();
        }
    }
}

/// What follows `pub` or `pub(crate)`.
fn visible(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(inside) => inside.split_once(')')?.1,
        None => rest,
    };
    rest.strip_prefix(' ')
}

/// Adds a line of documentation to a sentence; examples of code are left out.
fn sentence(about: &mut String, doc: &str) {
    let doc = doc.trim();
    // What follows is a formula for those who read the code.
    if doc.starts_with('#') || about.contains("\n") {
        about.push('\n');
        return;
    }
    if !about.is_empty() && !doc.is_empty() {
        about.push(' ');
    }
    about.push_str(doc);
}

/// Fields or variants until the closing brace.
fn keys<'a>(
    lines: &mut impl Iterator<Item = &'a str>,
    indent: &str,
    all_optional: bool,
    is_enum: bool,
) -> Vec<Key> {
    let (mut about, mut attributes, mut out) = (String::new(), String::new(), Vec::new());
    while let Some(line) = lines.next() {
        let Some(inside) = line.strip_prefix(indent) else { break };
        let inside = inside.trim_end();
        if let Some(doc) = inside.strip_prefix("///") {
            sentence(&mut about, doc);
            continue;
        }
        if inside.starts_with("#[") {
            attributes += inside;
            continue;
        }
        let renamed = attributes.split("rename = \"").nth(1).and_then(|t| t.split('"').next());
        let about = std::mem::take(&mut about);
        if is_enum {
            let name: String = inside.chars().take_while(|c| c.is_alphanumeric()).collect();
            let inner = match inside.ends_with('{') {
                true => keys(lines, &format!("{indent}    "), false, false),
                false => Vec::new(),
            };
            let rust = inside.split(['(', ')']).nth(1).unwrap_or_default().to_string();
            let name = renamed.map_or_else(|| snake(&name), String::from);
            out.push(Key { name, rust, required: false, about, inner });
        } else if let Some((name, rust)) = visible(inside).unwrap_or(inside).split_once(": ") {
            let name = renamed.unwrap_or(name.trim_start_matches("r#")).to_string();
            // The kind is the section, and has the settings.
            let rust = match rust.trim_end_matches(',') {
                "StreamSettings" => "StreamKind".to_string(),
                "PolicySettings" => "PolicyKind".to_string(),
                rust => rust.to_string(),
            };
            let optional =
                all_optional || attributes.contains("default") || rust.starts_with("Option<");
            out.push(Key { name, rust, required: !optional, about, inner: Vec::new() });
        }
        attributes.clear();
    }
    out
}

/// The list of kinds of streams or policies.
fn kinds<'a>(lines: &mut impl Iterator<Item = &'a str>, found: &mut BTreeMap<String, Type>) {
    let (mut about, mut list, mut of) = (String::new(), Type::default(), String::new());
    for line in lines.take_while(|line| *line != "}") {
        let line = line.trim();
        if let Some(doc) = line.strip_prefix("///") {
            sentence(&mut about, doc);
        } else if let Some((name, _)) = line.split_once(" with ") {
            (of, list.about) = (name.to_string(), std::mem::take(&mut about));
        } else if let Some((key, rest)) = line.split_once("\" ") {
            let rust = rest.split(['(', ')']).nth(1).unwrap_or_default().to_string();
            let (name, about) = (key.trim_start_matches('"').into(), std::mem::take(&mut about));
            list.keys.push(Key { name, rust, required: false, about, inner: Vec::new() });
        }
    }
    found.insert(of, list);
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The last names in a type: `Option<Vec<Drift>>` has `Drift`.
fn names(rust: &str) -> impl Iterator<Item = &str> {
    let words = rust.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words.filter_map(|word| word.rsplit("::").next()).filter(|word| !word.is_empty())
}

/// A type in words, with a link to its section.
fn words(rust: &str, types: &BTreeMap<String, Type>) -> String {
    let inside = |of: &str| Some(rust.strip_prefix(of)?.strip_suffix('>')?.to_string());
    if let Some(inner) = inside("Option<") {
        return words(&inner, types);
    }
    if let Some(inner) = inside("Vec<") {
        return format!("list of {}", words(&inner, types));
    }
    if let Some(inner) = inside("BTreeMap<String, ") {
        return format!("table of {}", words(&inner, types));
    }
    match rust {
        "" => String::new(),
        "String" => "text".into(),
        "PathBuf" => "path".into(),
        "bool" => "true or false".into(),
        "f64" => "number".into(),
        "u8" | "u32" | "u64" | "usize" => "integer".into(),
        "toml::Table" => "table".into(),
        "Nothing" => "`{}`".into(),
        _ => match types.get(names(rust).last().unwrap_or(rust)) {
            Some(_) => {
                let name = names(rust).last().unwrap_or(rust);
                format!("[{name}](#{})", name.to_lowercase())
            }
            None => format!("`{rust}`"),
        },
    }
}

/// Documentation for a page: no links to Rust items, no bars that would end a cell.
fn plain(about: &str) -> String {
    let mut text = about.trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    for path in ["learner::Baseline::", "learner::"] {
        text = text.replace(path, "");
    }
    text
}

/// The page, and the types that it names without describing them.
fn page() -> (String, Vec<String>) {
    let mut types_found = BTreeMap::new();
    for source in SOURCES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        let files = match path.is_dir() {
            false => vec![path],
            true => {
                let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
                let mut files: Vec<_> =
                    entries.filter(|p| p.extension().is_some_and(|e| e == "rs")).collect();
                files.sort();
                files
            }
        };
        for file in files {
            types(&std::fs::read_to_string(file).unwrap(), &mut types_found);
        }
    }
    let mut text = String::from(
        "# All keys of an experiment file\n\nMade from the types that read the file; a test keeps it up to date. \
         [Own data](own-data.md) has a worked example, and `experiments/` has the files of this project. An unknown key \
         is an error that names the nearest known one. A key without a star can be left out.\n",
    );
    let (mut open, mut done, mut unknown) =
        (vec!["ExperimentSpec".to_string()], Vec::new(), Vec::new());
    while !open.is_empty() {
        let name = open.remove(0);
        let Some(one) = types_found.get(&name) else { continue };
        done.push(name.clone());
        let title = if name == "ExperimentSpec" { "The file itself".into() } else { name.clone() };
        let about = format!("{} {}", plain(&one.about), one.written);
        let _ = write!(text, "\n## {title}\n\n{}\n\n", about.trim());
        let (first, second) = if one.is_enum { ("choice", "settings") } else { ("key", "value") };
        let _ = write!(text, "| {first} | {second} | meaning |\n|---|---|---|\n");
        for key in &one.keys {
            let star = if key.required { " *" } else { "" };
            let value = match key.inner.is_empty() {
                true => words(&key.rust, &types_found),
                false => {
                    let one = |k: &Key| {
                        let about = plain(&k.about);
                        format!(
                            "`{}`: {} ({})",
                            k.name,
                            words(&k.rust, &types_found),
                            about.trim_end_matches('.')
                        )
                    };
                    key.inner.iter().map(one).collect::<Vec<_>>().join("; ")
                }
            };
            let name = match key.name.as_str() {
                "" => String::new(),
                // The kind is not a key: its own key stands in its place.
                "settings" if matches!(key.rust.as_str(), "StreamKind" | "PolicyKind") => {
                    "one of".into()
                }
                name => format!("`{name}`{star}"),
            };
            let _ = writeln!(text, "| {name} | {value} | {} |", plain(&key.about));
            for rust in std::iter::once(&key.rust).chain(key.inner.iter().map(|k| &k.rust)) {
                for part in names(rust) {
                    let known = types_found.contains_key(part);
                    if known && !done.iter().chain(&open).any(|d| d == part) {
                        open.push(part.to_string());
                    }
                    const PLAIN: [&str; 14] = [
                        "Option", "Vec", "BTreeMap", "String", "PathBuf", "bool", "f64", "u8",
                        "u32", "u64", "usize", "Table", "Duration", "Nothing",
                    ];
                    if !known && !PLAIN.contains(&part) {
                        unknown.push(part.to_string());
                    }
                }
            }
        }
    }
    (text, unknown)
}

#[test]
fn every_key_is_on_the_page() {
    let (made, unknown) = page();
    assert_eq!(unknown, [""; 0], "types that are named and not described");
    if std::env::var_os("DEFERLAB_UPDATE").is_some() {
        std::fs::write(PAGE, &made).unwrap();
    }
    let stored = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        made == stored,
        "{PAGE} is not up to date: DEFERLAB_UPDATE=1 cargo test experiment_reference"
    );
    // Keys that the example and the files of the project use.
    for key in [
        "`half_life`",
        "`experts_only`",
        "`checkpoints` | [Checkpoints](#checkpoints)",
        "`inverse_gap`",
        "`name` *",
    ] {
        assert!(made.contains(key), "{key}");
    }
}
