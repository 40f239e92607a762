//! Tables to paste into a paper (`booktabs`).

use super::{Exporter, Report, Table};

/// `tables.tex`.
pub struct Latex;

impl Exporter for Latex {
    fn files(&self, report: &Report) -> Vec<(String, String)> {
        let p = &report.provenance;
        let mut text = format!(
            "% {}, deferlab {}, seed {}, configuration {}\n% needs \\usepackage{{booktabs}}\n",
            report.name, p.version, p.seed, p.configuration_sha256
        );
        for table in &report.tables {
            text += &format!("\n{}", tabular(&report.name, table));
        }
        vec![("tables.tex".into(), text)]
    }
}

fn tabular(name: &str, table: &Table) -> String {
    let columns = "l".to_string() + &"r".repeat(table.columns.len().saturating_sub(1));
    let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
    let mut text = format!(
        "\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n  \\label{{tab:{name}-{}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n",
        escape(&table.caption),
        table.id
    );
    text += &line(table.columns.iter().map(|c| escape(c)).collect());
    text += "    \\midrule\n";
    for row in &table.rows {
        text += &line(row.iter().map(|cell| escape(&cell.show(" +- "))).collect());
    }
    text + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.replace(" +- ", " \u{b1} ").chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("$<$"),
            '>' => out.push_str("$>$"),
            '\u{b1}' => out.push_str("$\\pm$"),
            _ => out.push(c),
        }
    }
    out
}
