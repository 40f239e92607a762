//! Formulas in plain text, as HTML: `eta_t <= T^{2/3}` becomes η<sub>t</sub> ≤ T<sup>2/3</sup>.
//!
//! Statements are written in ASCII so that a terminal can show them. Only what is surely a formula
//! is touched: names of Greek letters, indices of single letters, powers, roots and comparisons.
//! A name such as `zero_one_gap` or `gamma-sum-sq` stays what it is.

use crate::escape::html as escape;

const GREEK: [(&str, &str); 10] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("eta", "η"),
    ("kappa", "κ"),
    ("nu", "ν"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("Gamma", "Γ"),
];

/// The text as HTML, everything else escaped.
pub(super) fn html(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() * 5 / 4);
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        let next = chars.get(i + 1).copied();
        if c == '`' {
            let end = chars[i + 1..].iter().position(|&c| c == '`');
            if let Some(length) = end {
                let code: String = chars[i + 1..i + 1 + length].iter().collect();
                out += &format!("<code>{}</code>", escape(&code));
                i += length + 2;
                continue;
            }
        }
        if c.is_alphabetic() {
            i = word(&chars, i, &mut out);
            continue;
        }
        let replaced = match (c, next) {
            ('<', Some('=')) => Some("≤"),
            ('>', Some('=')) => Some("≥"),
            ('!', Some('=')) => Some("≠"),
            _ => None,
        };
        if let Some(symbol) = replaced {
            out += symbol;
            i += 2;
            continue;
        }
        let before = if i > 0 { chars[i - 1] } else { '(' };
        let spaced = before == ' ' && next == Some(' ');
        let negative = " (=".contains(before) && next.is_some_and(|c| c.is_ascii_digit());
        match c {
            '^' if i > 0 => {
                if let Some((inside, after)) = operand(&chars, i + 1) {
                    out += &format!("<sup>{}</sup>", html(&inside));
                    i = after;
                    continue;
                }
                out.push('^');
            }
            '-' if spaced || negative => out.push('−'),
            _ => out += &escape(&c.to_string()),
        }
        i += 1;
    }
    out
}

/// A word with its index, from `start`; returns where it ends.
fn word(chars: &[char], start: usize, out: &mut String) -> usize {
    let run = |from: usize, keep: fn(char) -> bool| {
        from + chars[from..].iter().take_while(|&&c| keep(c)).count()
    };
    let end = run(start, char::is_alphabetic);
    let text: String = chars[start..end].iter().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let joined = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let inside_name = start > 0 && joined(chars[start - 1]) && !chars[start - 1].is_numeric();
    let hyphenated = at(end) == '-' && at(end + 1).is_alphabetic();
    let greek = GREEK.iter().find(|(name, _)| *name == text).map(|(_, letter)| *letter);
    let base = (!inside_name && !hyphenated).then_some(greek).flatten();
    if text == "sqrt" && at(end) == '(' {
        out.push('√');
        // One letter or number needs no brackets under the root.
        if let Some((inside, after)) = operand(chars, end)
            && inside.chars().all(char::is_alphanumeric)
        {
            *out += &html(&inside);
            return after;
        }
        return end;
    }
    let single = end - start == 1 && !inside_name;
    if at(end) == '_'
        && (base.is_some() || single)
        && let Some((index, after)) = operand(chars, end + 1)
    {
        *out += base.unwrap_or(&text);
        *out += &format!("<sub>{}</sub>", html(&index));
        return after;
    }
    if at(end) == '_' {
        let end = run(start, |c| c.is_alphanumeric() || c == '_');
        *out += &escape(&chars[start..end].iter().collect::<String>());
        return end;
    }
    *out += base.unwrap_or(&text);
    end
}

/// What stands in an index or a power: braces, brackets, or the letters and digits that follow.
fn operand(chars: &[char], start: usize) -> Option<(String, usize)> {
    let close = match chars.get(start)? {
        '{' => '}',
        '(' => ')',
        _ => {
            let sign = usize::from(chars[start] == '-');
            let plain = |&&c: &&char| c.is_alphanumeric() || c == '*';
            let length = chars[start + sign..].iter().take_while(plain).count();
            let end = start + sign + length;
            return (length > 0).then(|| (chars[start..end].iter().collect(), end));
        }
    };
    let length = chars[start + 1..].iter().position(|&c| c == close)?;
    let end = start + 1 + length;
    Some((chars[start + 1..end].iter().collect(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_set_and_names_are_left_alone() {
        let cases = [
            ("eta_t <= T^{2/3}", "η<sub>t</sub> ≤ T<sup>2/3</sup>"),
            ("Gamma(t) = sqrt(2 t), sqrt(T)", "Γ(t) = √(2 t), √T"),
            ("K rho^2 / 4", "K ρ<sup>2</sup> / 4"),
            ("1 - s-bar", "1 − s-bar"),
            ("zero_one_gap^2 > x", "zero_one_gap<sup>2</sup> &gt; x"),
            ("gamma-sum-sq of beta-stream", "gamma-sum-sq of beta-stream"),
            ("cstnd_hinge, n_e = 3", "cstnd_hinge, n<sub>e</sub> = 3"),
            ("T^(1/2) a_b", "T<sup>1/2</sup> a<sub>b</sub>"),
            ("t^-1 & <b>", "t<sup>−1</sup> &amp; &lt;b&gt;"),
            ("run `a_b <` now", "run <code>a_b &lt;</code> now"),
            ("nutrition, 5e-4/sqrt(t)", "nutrition, 5e-4/√t"),
            ("an open ` and x^", "an open ` and x^"),
        ];
        for (text, expected) in cases {
            assert_eq!(html(text), expected);
        }
    }
}
