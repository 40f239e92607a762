//! The checks written again with every mutant in them.

use crate::Failure;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Expr, ExprBinary, ExprUnary, UnOp, parse_quote};

/// The files with checks.
pub const CHECKS: &str = "src/claims";

/// One change of one expression.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub id: u32,
    pub file: String,
    pub function: String,
    pub change: String,
}

impl Mutant {
    pub fn key(&self) -> String {
        format!("{} | {} | {}", self.file, self.function, self.change)
    }
}

/// Writes the checks into the tree; files that the filters leave out are copied.
pub fn rewrite(
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
        // The saboteurs of implementations are faults already; quantities are in `just mutants`.
        if chosen && !name.contains("/teeth/") && !name.contains("/quantities/") {
            let mut file = syn::parse_file(&text).map_err(|e| format!("{name}: {e}"))?;
            let mut writer = Writer {
                mutants: &mut mutants,
                left_out,
                file: name.clone(),
                function: String::new(),
                constant: false,
                seen: BTreeMap::new(),
            };
            writer.visit_file_mut(&mut file);
            // One switch a line: the compiler names lines.
            written = quote!(#file)
                .to_string()
                .replace("crate :: claims :: mutant", "\ncrate :: claims :: mutant");
        }
        if name == "src/claims/mod.rs" {
            written += "\npub(crate) mod mutant;\n";
        }
        write(&tree.join(&name), &written)?;
    }
    let switch = include_str!("switch.rs").replace("//!", "//");
    let count = mutants.len() + 1;
    write(
        &tree.join(CHECKS).join("mutant.rs"),
        &format!("{switch}\nconst MUTANTS: usize = {count};\n"),
    )?;
    Ok(mutants)
}

/// Writes what changed, so that nothing else is built again.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text)?;
    }
    Ok(())
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

/// Puts a switch between the original and its changes in place of expressions.
struct Writer<'a> {
    mutants: &'a mut Vec<Mutant>,
    left_out: &'a BTreeSet<String>,
    file: String,
    function: String,
    /// Inside a constant, where nothing can be switched but the bodies of closures.
    constant: bool,
    /// How often a change of the same words came before.
    seen: BTreeMap<String, u32>,
}

impl Writer<'_> {
    /// A number for a change, unless it is one that does not compile.
    fn number(&mut self, original: &Expr, change: &Expr) -> Option<u32> {
        let text = |tokens: TokenStream| tokens.to_string().replace('\n', " ");
        let (from, to) = (text(original.to_token_stream()), text(change.to_token_stream()));
        let mut mutant = Mutant {
            id: u32::try_from(self.mutants.len()).ok()? + 1,
            file: self.file.clone(),
            function: self.function.clone(),
            change: format!("{from} -> {to}"),
        };
        let times = self.seen.entry(mutant.key()).or_default();
        *times += 1;
        if *times > 1 {
            mutant.change += &format!(" ({times})");
        }
        if self.left_out.contains(&mutant.key()) {
            return None;
        }
        let id = mutant.id;
        self.mutants.push(mutant);
        Some(id)
    }

    /// Other operators between the same operands, which are computed once; `visited` has the mutants
    /// of its parts in it.
    fn binary(&mut self, original: &ExprBinary, visited: &ExprBinary) -> Expr {
        let whole = Expr::Binary(original.clone());
        let mut changes = Vec::new();
        let ops = others(&original.op);
        // Nothing depends on the side to which the last bit of a tolerance belongs.
        let ops = if has_tolerance(original) { &ops[ops.len() - 1..] } else { &ops[..] };
        for &op in ops {
            let change = Expr::Binary(ExprBinary { op, ..original.clone() });
            if let Some(id) = self.number(&whole, &change) {
                changes.push((id, op, change));
            }
        }
        if changes.is_empty() {
            return Expr::Binary(visited.clone());
        }
        let (left, op, right) = (&visited.left, &visited.op, &visited.right);
        match original.op {
            BinOp::And(_) | BinOp::Or(_) | BinOp::AddAssign(_) | BinOp::SubAssign(_) => {
                let (id, _, change) = &changes[0];
                parse_quote!((if crate::claims::mutant::is(#id) { #change } else { #visited }))
            }
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) => {
                let (id, other, _) = &changes[0];
                parse_quote!(({
                    crate::claims::mutant::at(#id);
                    match (#left, #right) {
                        (mutant_l, mutant_r) => if crate::claims::mutant::is(#id) {
                            mutant_l #other mutant_r
                        } else {
                            mutant_l #op mutant_r
                        }
                    }
                }))
            }
            // A comparison: only where another one comes out differently a mutant can matter.
            _ => {
                let ids: Vec<u32> = changes.iter().map(|(id, ..)| *id).collect();
                let ops: Vec<BinOp> = changes.iter().map(|(_, op, _)| *op).collect();
                parse_quote!(({
                    #(crate::claims::mutant::at(#ids);)*
                    match (&(#left), &(#right)) {
                        (mutant_l, mutant_r) => {
                            #(if crate::claims::mutant::covers()
                                && (mutant_l #op mutant_r) != (mutant_l #ops mutant_r)
                            {
                                crate::claims::mutant::hit(#ids);
                            })*
                            #(if crate::claims::mutant::on(#ids) { mutant_l #ops mutant_r } else)*
                            { mutant_l #op mutant_r }
                        }
                    }
                }))
            }
        }
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

    /// A false variant is a fault already: another one would do as well.
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        let name = call.func.to_token_stream().to_string();
        if name != "refuted" && name != "declared" {
            visit_mut::visit_expr_call_mut(self, call);
        }
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
        let changed = match (&original, &*expr) {
            (Expr::Binary(original), Expr::Binary(visited)) => self.binary(original, visited),
            (Expr::Unary(ExprUnary { op: UnOp::Not(_) | UnOp::Neg(_), expr: inner, .. }), _) => {
                let Some(id) = self.number(&original, inner) else { return };
                let visited = &*expr;
                parse_quote!((if crate::claims::mutant::is(#id) { #inner } else { #visited }))
            }
            _ => return,
        };
        *expr = changed;
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

/// Whether an inequality has a tolerance in it: a constant of `prec`, one called so, or one such as `1e-9`.
fn has_tolerance(binary: &ExprBinary) -> bool {
    let text = binary.to_token_stream().to_string();
    let named = ["prec ::", "ROUNDING", "ACCURACY", "NEARLY_ATTAINED", "1e-"];
    let inequality = matches!(binary.op, BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_));
    inequality && named.iter().any(|name| text.contains(name))
}

/// The operators that take the place of one.
fn others(op: &BinOp) -> Vec<BinOp> {
    match op {
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
    }
}
