//! Text that somebody wrote (labels, titles, captions) in the places where reports put it: one
//! function for each kind of output. Control characters belong in none of them: a terminal would
//! obey them, and XML forbids them.

/// For a terminal.
pub(crate) use lab::terminal;

/// For running text and table cells of a Markdown document: nothing in it is markup. An underscore
/// between letters is none anyway.
#[must_use]
pub(crate) fn markdown(text: &str) -> String {
    let chars: Vec<char> = terminal(text).chars().collect();
    let inside = |i: usize| {
        let letter = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
        i > 0 && letter(chars.get(i - 1)) && letter(chars.get(i + 1))
    };
    let mut out = String::with_capacity(chars.len());
    for (i, &c) in chars.iter().enumerate() {
        let next = chars.get(i + 1);
        let is_markup = match c {
            '\\' | '`' | '*' | '|' | '[' | ']' => true,
            '_' => !inside(i),
            // A comparison is none: a tag starts with a letter, a slash or an exclamation mark.
            '<' => next.is_some_and(|n| n.is_alphabetic() || matches!(n, '/' | '!' | '?')),
            // An entity needs a name or a number.
            '&' => next.is_some_and(|n| n.is_alphanumeric() || *n == '#'),
            '#' | '>' => i == 0,
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// For text and attributes of HTML.
#[must_use]
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // A page may keep its line ends, but no other control character.
    for c in text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
    out
}

/// For text of an SVG file.
#[must_use]
pub(crate) fn svg(text: &str) -> String {
    html(&terminal(text))
}

/// For the text of a figure that is escaped by whoever draws it.
#[must_use]
pub(crate) fn drawn(text: &str) -> String {
    // XML forbids these two as well.
    terminal(text).chars().filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect()
}

/// For LaTeX in text mode.
#[must_use]
pub(crate) fn latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in terminal(text).chars() {
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

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a|b \u{1b}[31m<script>x</script> *b* `c` _d_ [e](javascript:f) \\input{g} 5 % & $h\n\u{202e}i";

    #[test]
    fn hostile_labels_are_only_text() {
        let shown = markdown(HOSTILE);
        for text in ["\\|", "\\<script>", "\\*b\\*", "\\`c\\`", "\\_d\\_", "\\[e\\](", "\\\\input"]
        {
            assert!(shown.contains(text), "{text} is missing in {shown}");
        }
        let shown = html(HOSTILE);
        assert!(
            !shown.contains('<') && shown.contains("&lt;script&gt;") && !shown.contains('\u{1b}')
        );
        let shown = latex(HOSTILE);
        for text in ["\\textbackslash{}input\\{g\\}", "5 \\% \\& \\$h i", "$<$script$>$", "\\_d\\_"]
        {
            assert!(shown.contains(text), "{text} is missing in {shown}");
        }
        for shown in [markdown(HOSTILE), latex(HOSTILE), svg(HOSTILE), terminal(HOSTILE)] {
            assert_eq!(shown, terminal(&shown));
        }
    }

    /// A Markdown reader that knows nothing of us sees the label again, and nothing else.
    #[test]
    fn markdown_gives_back_the_text() {
        use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
        let labels = [
            HOSTILE,
            "# no heading",
            "> no quote",
            "a_b <= 2 * c",
            "&lt; &#60; & x",
            "1. _x",
            "x\\",
        ];
        for label in labels {
            let document = format!("| {} |\n|---|\n| {} |\n", markdown("head"), markdown(label));
            let mut seen = String::new();
            let mut in_body = false;
            for event in Parser::new_ext(&document, Options::ENABLE_TABLES) {
                match event {
                    Event::End(TagEnd::TableHead) => in_body = true,
                    Event::Text(text) if in_body => seen += &text,
                    Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) => panic!("{label:?}"),
                    Event::Start(Tag::Emphasis | Tag::Strong | Tag::Link { .. }) => {
                        panic!("{label:?} has markup")
                    }
                    _ => {}
                }
            }
            assert_eq!(seen, terminal(label).trim(), "{label:?}");
        }
    }

    #[test]
    fn what_is_usual_stays_as_it_is() {
        let label = "eta_t = 0.0005/sqrt(t), 5 % & (hinge) a < b, B = N";
        assert_eq!(markdown(label), label);
        assert_eq!(terminal(label), label);
        assert_eq!(svg("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
        assert_eq!(latex("a ± b"), "a $\\pm$ b");
    }
}
