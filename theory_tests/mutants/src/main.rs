//! Mutation testing of the checks behind the ledger: `just mutants-claims [part of a file name]...`.
//!
//! Every mutant (an operator exchanged, a `!` or `-` dropped) is compiled into one test binary behind a
//! switch, which takes one build instead of one a mutant. Each is then switched on in a process of its own
//! that runs the unit tests of its file, the claims of its file and their saboteurs. A mutant that changes
//! neither a test nor what a claim says (verdict, grade and evidence: what `verify --exact` compares with the
//! record) nor the fate of a saboteur survives; survivors with a reason are listed in
//! `.cargo/mutants-claims.txt`, any other makes the run fail. Mutants that do not compile are left out.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprBinary, ExprUnary, UnOp, parse_quote};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reasons for survivors: `file | function | expression -> replacement # reason`.
const EXPLAINED: &str = ".cargo/mutants-claims.txt";

/// The files with checks, and the switch that the copy of the tree gets.
const CHECKS: &str = "src/claims";
const SWITCH: &str = "/// The mutant that is on.
pub(crate) fn is(id: u32) -> bool {
    static ON: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var(\"MUTANT\").ok().and_then(|v| v.parse().ok()).unwrap_or(0)) == id
}

#[cfg(test)]
mod tests {
    #[test]
    fn verdicts_and_fates_are_those_without_a_mutant() {
        let Ok(wanted) = std::env::var(\"MUTANT_CLAIMS\") else { return };
        let folder = std::path::PathBuf::from(std::env::var(\"MUTANT_BASELINE\").unwrap());
        let mut times = String::new();
        for id in wanted.split(',') {
            let start = std::time::Instant::now();
            let claims: Vec<_> = crate::claims::all().into_iter().filter(|c| c.id == id).collect();
            let mut said = String::new();
            for done in crate::claims::run(&claims, 1, None, |_, _| {}) {
                said += &format!(\"{} {:?}\\n\", done.claim.id, done.result);
            }
            for run in crate::claims::teeth(&claims, 1) {
                said += &format!(\"{} {} {:?}\\n\", run.claim, run.saboteur.name, run.fate);
            }
            if super::is(0) {
                std::fs::write(folder.join(id), said).unwrap();
                times += &format!(\"{} {id}\\n\", start.elapsed().as_micros());
            } else if std::fs::read_to_string(folder.join(id)).unwrap() != said {
                std::process::exit(1);
            }
        }
        if super::is(0) {
            std::fs::write(folder.join(\"times\"), times).unwrap();
        }
    }
}
";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Failure> {
    let filters: Vec<String> = std::env::args().skip(1).collect();
    let root = std::env::current_dir()?;
    let tree = root.join("target/mutants-claims/tree");
    copy_tree(&root, &tree)?;
    let mut left_out = BTreeSet::new();
    let (binary, mutants) = loop {
        let mutants = rewrite(&root, &tree, &filters, &left_out)?;
        eprintln!("{} mutants, building", mutants.len());
        match build(&root, &tree)? {
            Build::Binary(path) => break (path, mutants),
            Build::Errors(places) => {
                let wrong = culprits(&tree, &places, &mutants)?;
                if wrong.is_empty() {
                    return Err("the tree does not build, and no mutant is to blame".into());
                }
                eprintln!("{} mutants do not compile and are left out", wrong.len());
                left_out.extend(wrong);
            }
        }
    };
    let files: BTreeSet<&str> = mutants.iter().map(|m| m.file.as_str()).collect();
    let claims = claims_of(&root, &files)?;
    let baselines: BTreeMap<&str, Baseline> = files
        .iter()
        .map(|&file| Ok((file, Baseline::record(&binary, &tree, file, &claims[file])?)))
        .collect::<Result<_, Failure>>()?;
    let explained = fs::read_to_string(root.join(EXPLAINED)).unwrap_or_default();
    let reasons: BTreeSet<&str> =
        explained.lines().filter_map(|line| Some(line.split_once(" # ")?.0.trim())).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let fates: Vec<Fate> = pool.install(|| {
        let done = AtomicUsize::new(0);
        let one = |m: &Mutant| {
            let fate = baselines[m.file.as_str()].attempt(&binary, m);
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            if fate == Fate::Alive {
                eprintln!("alive: {}", m.key());
            }
            if count.is_multiple_of(100) {
                eprintln!("{count} of {} mutants", mutants.len());
            }
            fate
        };
        mutants.par_iter().with_max_len(1).map(one).collect()
    });
    let count = |fate: Fate| fates.iter().filter(|&&f| f == fate).count();
    let alive: Vec<&Mutant> =
        mutants.iter().zip(&fates).filter(|(_, f)| **f == Fate::Alive).map(|(m, _)| m).collect();
    let open: Vec<&&Mutant> =
        alive.iter().filter(|m| !reasons.contains(m.key().as_str())).collect();
    for mutant in &open {
        println!("{}", mutant.key());
    }
    println!(
        "{} mutants: {} noticed, {} out of time, {} alive of which {} without a reason; {} do not compile",
        mutants.len(),
        count(Fate::Noticed),
        count(Fate::OutOfTime),
        alive.len(),
        open.len(),
        left_out.len()
    );
    Ok(open.is_empty())
}

/// One change of one expression.
#[derive(Clone, Debug)]
struct Mutant {
    id: u32,
    file: String,
    function: String,
    change: String,
}

impl Mutant {
    fn key(&self) -> String {
        format!("{} | {} | {}", self.file, self.function, self.change)
    }
}

/// Copies what git knows, so that paths between crates stay as they are.
fn copy_tree(root: &Path, tree: &Path) -> Result<(), Failure> {
    let listed = Command::new("git").arg("ls-files").current_dir(root).output()?;
    for name in String::from_utf8(listed.stdout)?.lines() {
        let (from, to) = (root.join(name), tree.join(name));
        if !from.is_file() {
            continue;
        }
        let text = fs::read(&from)?;
        if fs::read(&to).ok().as_ref() != Some(&text) && !name.starts_with(CHECKS) {
            fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
            fs::write(to, text)?;
        }
    }
    Ok(())
}

/// Writes the checks with every mutant in them; files that the filters leave out are copied.
fn rewrite(
    root: &Path,
    tree: &Path,
    filters: &[String],
    left_out: &BTreeSet<String>,
) -> Result<Vec<Mutant>, Failure> {
    let mut mutants = Vec::new();
    for path in rust_files(&root.join(CHECKS))? {
        let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
        let text = fs::read_to_string(&path)?;
        let chosen = filters.is_empty() || filters.iter().any(|f| name.contains(f.as_str()));
        let mut written = text.clone();
        if chosen && !name.contains("/teeth/") {
            let mut file = syn::parse_file(&text).map_err(|e| format!("{name}: {e}"))?;
            let mut writer = Writer { file: name.clone(), left_out, ..Writer::new(&mut mutants) };
            writer.visit_file_mut(&mut file);
            written = quote!(#file)
                .to_string()
                .replace("crate :: claims :: mutant", "\ncrate :: claims :: mutant");
        }
        if name == "src/claims/mod.rs" {
            written += "\npub(crate) mod mutant;\n";
        }
        let to = tree.join(&name);
        fs::create_dir_all(to.parent().ok_or("a file without a folder")?)?;
        fs::write(to, written)?;
    }
    fs::write(tree.join("src/claims/mutant.rs"), SWITCH)?;
    Ok(mutants)
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Puts `if mutant(k) { changed } else { original }` in place of expressions.
struct Writer<'a> {
    mutants: &'a mut Vec<Mutant>,
    left_out: &'a BTreeSet<String>,
    file: String,
    function: String,
    /// Inside a constant, where nothing can be switched but the bodies of closures.
    constant: bool,
}

static NOTHING: BTreeSet<String> = BTreeSet::new();

impl<'a> Writer<'a> {
    fn new(mutants: &'a mut Vec<Mutant>) -> Self {
        let (file, function) = (String::new(), String::new());
        Writer { mutants, left_out: &NOTHING, file, function, constant: false }
    }

    /// The expression with all its changes; `visited` has the mutants of its parts in it.
    fn switch(&mut self, original: &Expr, visited: &Expr, changes: Vec<Expr>) -> Expr {
        let mut all = visited.clone();
        for change in changes {
            let text = |tokens: TokenStream| tokens.to_string().replace('\n', " ");
            let change_text = format!(
                "{} -> {}",
                text(original.to_token_stream()),
                text(change.to_token_stream())
            );
            let id = u32::try_from(self.mutants.len()).unwrap_or(u32::MAX - 1) + 1;
            let mutant = Mutant {
                id,
                file: self.file.clone(),
                function: self.function.clone(),
                change: change_text,
            };
            if self.left_out.contains(&mutant.key()) {
                continue;
            }
            self.mutants.push(mutant);
            all = parse_quote!((if crate::claims::mutant::is(#id) { #change } else { #all }));
        }
        all
    }

    fn within<T>(&mut self, name: &syn::Ident, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.function, name.to_string());
        let constant = std::mem::replace(&mut self.constant, false);
        let done = work(self);
        (self.function, self.constant) = (before, constant);
        done
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| a.to_token_stream().to_string().contains("cfg (test)"))
}

impl VisitMut for Writer<'_> {
    fn visit_item_mod_mut(&mut self, item: &mut syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit_mut::visit_item_mod_mut(self, item);
        }
    }

    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        if item.sig.constness.is_none() && !is_test(&item.attrs) {
            let name = item.sig.ident.clone();
            self.within(&name, |w| w.visit_block_mut(&mut item.block));
        }
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            let name = item.sig.ident.clone();
            self.within(&name, |w| w.visit_block_mut(&mut item.block));
        }
    }

    fn visit_item_const_mut(&mut self, item: &mut syn::ItemConst) {
        let name = item.ident.clone();
        self.within(&name, |w| {
            w.constant = true;
            w.visit_expr_mut(&mut item.expr);
        });
    }

    fn visit_item_static_mut(&mut self, _: &mut syn::ItemStatic) {}

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}

    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        let constant = std::mem::replace(&mut self.constant, false);
        self.visit_expr_mut(&mut closure.body);
        self.constant = constant;
    }

    fn visit_expr_repeat_mut(&mut self, repeat: &mut syn::ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let original = expr.clone();
        visit_mut::visit_expr_mut(self, expr);
        if self.constant || has_let(&original) {
            return;
        }
        let changes = match &original {
            Expr::Binary(binary) => exchanged(binary),
            Expr::Unary(ExprUnary { op: UnOp::Not(_) | UnOp::Neg(_), expr: inner, .. }) => {
                vec![inner.as_ref().clone()]
            }
            _ => return,
        };
        *expr = self.switch(&original, expr, changes);
    }
}

/// A chain of conditions with a pattern in it cannot be moved.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// The same operands with other operators.
fn exchanged(binary: &ExprBinary) -> Vec<Expr> {
    let others: Vec<BinOp> = match binary.op {
        BinOp::Add(_) => vec![parse_quote!(-)],
        BinOp::Sub(_) => vec![parse_quote!(+)],
        BinOp::Mul(_) => vec![parse_quote!(/)],
        BinOp::Div(_) => vec![parse_quote!(*)],
        BinOp::AddAssign(_) => vec![parse_quote!(-=)],
        BinOp::SubAssign(_) => vec![parse_quote!(+=)],
        BinOp::And(_) => vec![parse_quote!(||)],
        BinOp::Or(_) => vec![parse_quote!(&&)],
        BinOp::Eq(_) => vec![parse_quote!(!=)],
        BinOp::Ne(_) => vec![parse_quote!(==)],
        BinOp::Lt(_) => vec![parse_quote!(<=), parse_quote!(>)],
        BinOp::Le(_) => vec![parse_quote!(<), parse_quote!(>)],
        BinOp::Gt(_) => vec![parse_quote!(>=), parse_quote!(<)],
        BinOp::Ge(_) => vec![parse_quote!(>), parse_quote!(<)],
        _ => Vec::new(),
    };
    let other = |op| Expr::Binary(ExprBinary { op, ..binary.clone() });
    others.into_iter().map(other).collect()
}

enum Build {
    Binary(PathBuf),
    /// File and line of every error.
    Errors(Vec<(String, usize)>),
}

/// Builds the tests of the copy beside the dependencies that are built already.
fn build(root: &Path, tree: &Path) -> Result<Build, Failure> {
    let output = Command::new("cargo")
        .args(["test", "--lib", "--no-run", "--package", "deferlab", "--message-format=json"])
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", root.join("target"))
        .stderr(Stdio::null())
        .output()?;
    let (mut binary, mut errors) = (None, Vec::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        if let Some(path) = message["executable"].as_str() {
            binary = Some(PathBuf::from(path));
        }
        if message["message"]["level"] == "error" {
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
fn culprits(
    tree: &Path,
    places: &[(String, usize)],
    mutants: &[Mutant],
) -> Result<BTreeSet<String>, Failure> {
    let mut wrong = BTreeSet::new();
    for (file, line) in places {
        let text = fs::read_to_string(tree.join(file))?;
        let before: Vec<&str> = text.lines().take(*line).collect();
        let switch =
            before.iter().rev().find_map(|l| l.split_once("mutant :: is (")?.1.split_once(')'));
        let id = switch.map(|(id, _)| id.trim().trim_end_matches("u32").to_owned());
        wrong.extend(mutants.iter().filter(|m| Some(m.id.to_string()) == id).map(Mutant::key));
    }
    Ok(wrong)
}

/// Which claims say something about a file: its own, or, for a file without any, all that are quick.
fn claims_of(root: &Path, files: &BTreeSet<&str>) -> Result<BTreeMap<String, String>, Failure> {
    let ledger: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(root.join("reports/ledger.json"))?)?;
    let all: Vec<&str> = ledger["claims"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|c| c["id"].as_str())
        .collect();
    let mut of = BTreeMap::new();
    for &file in files {
        let text = fs::read_to_string(root.join(file))?;
        let implementation = file.contains("/implementation/");
        let own = |id: &str| match id.strip_prefix("table-") {
            Some(rest) => text.contains(&format!("\"{rest}\"")),
            None => {
                text.contains(&format!("\"{id}\"")) || (implementation && id.starts_with("impl-"))
            }
        };
        let mut ids: Vec<&str> = all.iter().copied().filter(|id| own(id)).collect();
        if ids.is_empty() {
            ids = QUICK.to_vec();
        }
        of.insert(file.to_owned(), ids.join(","));
    }
    Ok(of)
}

/// Claims for files that only others use: one of each kind of use, all quick.
const QUICK: [&str; 10] = [
    "cor-5.2",
    "lem-6.2",
    "ogd-inequality",
    "lem-d.1",
    "lem-d.4",
    "thm-f.4",
    "estimate-unbiased",
    "app-b-patterns",
    "replication-cifar10h",
    "regret-sublinear",
];

/// The claims in the order of their times, so that most mutants are noticed by a quick one.
fn quickest_first(times: &str) -> String {
    let mut timed: Vec<(u64, &str)> = times
        .lines()
        .filter_map(|l| l.split_once(' '))
        .map(|(t, id)| (t.parse().unwrap_or(0), id))
        .collect();
    timed.sort_unstable();
    timed.iter().map(|(_, id)| *id).collect::<Vec<_>>().join(",")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Noticed,
    OutOfTime,
    Alive,
}

/// What a file says without a mutant, and how long that takes.
struct Baseline {
    said: PathBuf,
    folder: PathBuf,
    claims: String,
    tests: String,
    takes: Duration,
}

impl Baseline {
    fn record(binary: &Path, tree: &Path, file: &str, claims: &str) -> Result<Self, Failure> {
        let module =
            file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        let mut baseline = Baseline {
            said: tree.join("said").join(module.replace('/', "-")),
            folder: tree.to_owned(),
            claims: claims.to_owned(),
            tests: format!("{}::tests::", module.replace('/', "::")),
            takes: Duration::from_secs(600),
        };
        fs::create_dir_all(&baseline.said)?;
        let start = Instant::now();
        if baseline.fate(binary, 0)? != Fate::Alive {
            return Err(format!("{file}: its tests or claims fail without a mutant").into());
        }
        baseline.takes = start.elapsed();
        baseline.claims = quickest_first(&fs::read_to_string(baseline.said.join("times"))?);
        eprintln!(
            "{file}: {} claims, {:.1} s",
            claims.split(',').count(),
            baseline.takes.as_secs_f64()
        );
        Ok(baseline)
    }

    fn attempt(&self, binary: &Path, mutant: &Mutant) -> Fate {
        self.fate(binary, mutant.id).unwrap_or(Fate::Noticed)
    }

    fn fate(&self, binary: &Path, id: u32) -> Result<Fate, Failure> {
        let mut child = Command::new(binary)
            .args([&self.tests, "claims::mutant::tests::"])
            .current_dir(&self.folder)
            .env("MUTANT", id.to_string())
            .env("MUTANT_CLAIMS", &self.claims)
            .env("MUTANT_BASELINE", &self.said)
            .env("RAYON_NUM_THREADS", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let limit = Duration::from_secs(5) + self.takes * 4;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(if status.success() { Fate::Alive } else { Fate::Noticed });
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                return Ok(Fate::OutOfTime);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
