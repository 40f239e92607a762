//! Formulas in plain text, as MathML: `eta_t <= T^{2/3}` is shown as η with index t ≤ T to the 2/3.
//!
//! Statements are written in ASCII so that a terminal can show them. Only what is surely a formula
//! is touched: names of Greek letters, indices of single letters, powers, roots and comparisons.
//! A name such as `zero_one_gap` or `gamma-sum-sq` stays what it is.

use crate::escape::html as escape;

const GREEK: [(&str, &str); 12] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("eta", "η"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("nu", "ν"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("Gamma", "Γ"),
    ("Phi", "Φ"),
];

fn greek(name: &str) -> Option<&'static str> {
    GREEK.iter().find(|(word, _)| *word == name).map(|(_, letter)| *letter)
}

/// The text as HTML with MathML in it, everything else escaped.
pub(super) fn html(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len() * 5 / 4);
    // Where the last thing that a power can belong to begins in `out`, and as MathML.
    let mut base: Option<(usize, String)> = None;
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        let next = chars.get(i + 1).copied();
        let begin = out.len();
        if c == '`'
            && let Some(length) = chars[i + 1..].iter().position(|&c| c == '`')
        {
            let code: String = chars[i + 1..i + 1 + length].iter().collect();
            out += &format!("<code>{}</code>", escape(&code));
            i += length + 2;
            base = None;
            continue;
        }
        if c.is_alphabetic() {
            let (end, word) = word(&chars, i);
            out += &word.html();
            base = Some((begin, word.math()));
            i = end;
            continue;
        }
        if c.is_ascii_digit() {
            let end = i + chars[i..].iter().take_while(|c| c.is_ascii_digit()).count();
            let digits: String = chars[i..end].iter().collect();
            base = Some((begin, format!("<mn>{digits}</mn>")));
            out += &digits;
            i = end;
            continue;
        }
        if c == '^'
            && let Some((from, below)) = base.take()
            && let Some((inside, after)) = operand(&chars, i + 1)
        {
            out.truncate(from);
            out += &format!("<math><msup><mrow>{below}</mrow>{}</msup></math>", row(&inside));
            i = after;
            continue;
        }
        base = (c == ')').then(|| (begin, "<mo>)</mo>".into()));
        let compared = match (c, next) {
            ('<', Some('=')) => Some("≤"),
            ('>', Some('=')) => Some("≥"),
            ('!', Some('=')) => Some("≠"),
            _ => None,
        };
        if let Some(symbol) = compared {
            out += symbol;
            i += 2;
            continue;
        }
        let before = if i > 0 { chars[i - 1] } else { '(' };
        let spaced = before == ' ' && next == Some(' ');
        let negative = " (=".contains(before) && next.is_some_and(|c| c.is_ascii_digit());
        match c {
            '-' if spaced || negative => out.push('−'),
            _ => out += &escape(&c.to_string()),
        }
        i += 1;
    }
    out
}

/// A word of the text: as it is, or set as mathematics.
enum Word {
    Plain(String),
    Math(String),
}

impl Word {
    fn html(&self) -> String {
        match self {
            Word::Plain(text) => escape(text),
            Word::Math(math) => format!("<math>{math}</math>"),
        }
    }

    fn math(&self) -> String {
        match self {
            Word::Plain(text) => format!("<mi>{}</mi>", escape(text)),
            Word::Math(math) => math.clone(),
        }
    }
}

/// A word with its index, from `start`, and where it ends.
fn word(chars: &[char], start: usize) -> (usize, Word) {
    let run = |from: usize, keep: fn(char) -> bool| {
        from + chars[from..].iter().take_while(|&&c| keep(c)).count()
    };
    let end = run(start, char::is_alphabetic);
    let text: String = chars[start..end].iter().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let joined = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let inside_name = start > 0 && joined(chars[start - 1]) && !chars[start - 1].is_numeric();
    let hyphenated = at(end) == '-' && at(end + 1).is_alphabetic();
    let letter = (!inside_name && !hyphenated).then(|| greek(&text)).flatten();
    if text == "sqrt"
        && at(end) == '('
        && let Some((inside, after)) = operand(chars, end)
    {
        return (after, Word::Math(format!("<msqrt>{}</msqrt>", row(&inside))));
    }
    let single = end - start == 1 && !inside_name;
    if at(end) == '_'
        && (letter.is_some() || single)
        && let Some((index, after)) = operand(chars, end + 1)
    {
        let name = letter.unwrap_or(&text);
        return (after, Word::Math(format!("<msub><mi>{name}</mi>{}</msub>", row(&index))));
    }
    if at(end) == '_' {
        let end = run(start, |c| c.is_alphanumeric() || c == '_');
        return (end, Word::Plain(chars[start..end].iter().collect()));
    }
    match letter {
        Some(letter) => (end, Word::Math(format!("<mi>{letter}</mi>"))),
        None => (end, Word::Plain(text)),
    }
}

/// The inside of an index, a power or a root: letters, numbers and what stands between them.
fn row(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let (mut out, mut i) = (String::from("<mrow>"), 0);
    while i < chars.len() {
        let run = |keep: fn(&&char) -> bool| chars[i..].iter().take_while(keep).count();
        let letters = run(|c| c.is_alphabetic());
        let digits = run(|c| c.is_ascii_digit() || **c == '.');
        let part: String = chars[i..i + letters.max(digits).max(1)].iter().collect();
        if letters > 0 {
            let (end, word) = word(&chars, i);
            out += &word.math();
            i = end;
            continue;
        } else if digits > 0 {
            out += &format!("<mn>{part}</mn>");
        } else if part == "-" {
            out += "<mo>−</mo>";
        } else if part != " " {
            out += &format!("<mo>{}</mo>", escape(&part));
        }
        i += part.chars().count();
    }
    out + "</mrow>"
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
        let power = |base: &str, up: &str| {
            format!("<math><msup><mrow>{base}</mrow><mrow>{up}</mrow></msup></math>")
        };
        let index = |base: &str, low: &str| {
            format!("<math><msub><mi>{base}</mi><mrow>{low}</mrow></msub></math>")
        };
        let two_thirds = "<mn>2</mn><mo>/</mo><mn>3</mn>";
        let cases = [
            (
                "eta_t <= T^{2/3}",
                index("η", "<mi>t</mi>") + " ≤ " + &power("<mi>T</mi>", two_thirds),
            ),
            (
                "sqrt(2 t)",
                "<math><msqrt><mrow><mn>2</mn><mi>t</mi></mrow></msqrt></math>".to_string(),
            ),
            ("K rho^2 / 4", format!("K {} / 4", power("<mi>ρ</mi>", "<mn>2</mn>"))),
            ("R_Phi / T", index("R", "<mi>Φ</mi>") + " / T"),
            ("1 - s-bar", "1 − s-bar".into()),
            ("gap^2 > x", power("<mi>gap</mi>", "<mn>2</mn>") + " &gt; x"),
            ("gamma-sum-sq of beta-stream", "gamma-sum-sq of beta-stream".into()),
            ("cstnd_hinge, n_e = 3", format!("cstnd_hinge, {} = 3", index("n", "<mi>e</mi>"))),
            ("t^-1 & <b>", power("<mi>t</mi>", "<mo>−</mo><mn>1</mn>") + " &amp; &lt;b&gt;"),
            ("10^6", power("<mn>10</mn>", "<mn>6</mn>")),
            ("run `a_b <` now", "run <code>a_b &lt;</code> now".into()),
            ("an open ` and x^", "an open ` and x^".into()),
        ];
        for (text, expected) in cases {
            assert_eq!(html(text), expected);
        }
    }
}
