//! Tables to paste into a paper (`booktabs`).

use super::escape::{latex, terminal};
use super::{Exporter, Report, ReportTable};

/// `tables.tex`.
pub(crate) struct Latex;

impl Exporter for Latex {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let p = &report.provenance;
        let mut text = format!(
            "% {}, deferlab {}, seed {}, configuration {}\n% needs \\usepackage{{booktabs}}\n",
            terminal(&report.name),
            p.version,
            p.seed,
            p.configuration_sha256
        );
        for table in &report.tables {
            text += &format!("\n{}", tabular(&report.name, table));
        }
        vec![("tables.tex".into(), text)]
    }
}

fn tabular(name: &str, table: &ReportTable) -> String {
    let columns = "l".to_string() + &"r".repeat(table.columns.len().saturating_sub(1));
    let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let mut text = format!(
        "\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{}-{}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n",
        latex(&table.caption),
        key(name),
        key(&table.id)
    );
    text += &line(table.columns.iter().map(|c| latex(c)).collect());
    text += "    \\midrule\n";
    for row in &table.rows {
        text += &line(row.iter().map(|cell| latex(&cell.show(" ± "))).collect());
    }
    text + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
}

/// A name as part of a label: letters, digits and signs that mean nothing to LaTeX.
fn key(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.:".contains(c) { c } else { '-' }).collect()
}
