//! Documents are templates: prose is in files, code gives them numbers and tables.
//!
//! A sentence that states a conclusion stands in a template only under a condition that was
//! computed from the numbers it is about.

use crate::markdown::{Layout, table};
use crate::{escape, number};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value};
use serde::Serialize;

/// An environment in which a name that does not exist is an error and blocks leave no empty lines.
pub(crate) fn environment<'a>() -> Result<Environment<'a>, Error> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|name| match name.ends_with(".html") {
        true => AutoEscape::Html,
        false => AutoEscape::None,
    });
    // Words in HTML are escaped by the one function for it; the library's own also turns every slash
    // into six characters, a hundred kilobytes on the page.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if *state.auto_escape() == AutoEscape::Html && !value.is_safe() => {
            out.write_str(&escape::html(text)).map_err(Error::from)
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    Ok(environment)
}

/// A Markdown document from its template. Filters: `fixed(DECIMALS)`, `count` and `rounds` for
/// numbers, `text` for words that may hold markup, `table(HEADS)` for rows of cells that are Markdown.
///
/// # Errors
/// The template asks for something that `context` does not have.
pub fn markdown(template: &str, context: &impl Serialize) -> Result<String, Error> {
    let mut environment = environment()?;
    environment.add_filter("fixed", |value: Value, decimals: usize| {
        f64::try_from(value).map_or_else(|_| "-".into(), |value| number::fixed(value, decimals))
    });
    environment.add_filter("count", |value: u64| number::count(value.into()));
    environment.add_filter("rounds", |value: f64| number::rounds(value as u128));
    environment.add_filter("table", |rows: Vec<Vec<String>>, head: Vec<String>| {
        table(&head, &rows, Layout::Compact)
    });
    environment.add_filter("text", |text: &str| escape::markdown(text));
    environment.render_str(template, Value::from(Serde(context)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_in_html_are_only_text() {
        let mut environment = environment().unwrap();
        environment
            .add_template("it.html", "<b title=\"{{ words }}\">{{ words }}</b> {{ n }}")
            .unwrap();
        let context = json!({ "words": "\"a/b\" <i> & c", "n": 2 });
        let shown = environment
            .get_template("it.html")
            .unwrap()
            .render(Value::from(Serde(&context)))
            .unwrap();
        let words = "&quot;a/b&quot; &lt;i&gt; &amp; c";
        assert_eq!(shown, format!("<b title=\"{words}\">{words}</b> 2"));
    }

    #[test]
    fn numbers_words_and_names_that_are_not_there() {
        let context = json!({ "x": 0.25, "n": 12_000, "nothing": null, "label": "a|b" });
        let text = "{{ x|fixed(1) }} {{ n|count }} {{ nothing|fixed(2) }} {{ label|text }}\n";
        assert_eq!(markdown(text, &context).unwrap(), "0.2 12,000 - a\\|b\n");
        let context = json!({ "rows": [["a", "1"]], "few": 12_000, "many": 1.25e30 });
        let text = "{{ rows|table([\"who\", \"n\"]) }}{{ few|rounds }} {{ many|rounds }}\n";
        let expected = "| who | n |\n| --- | ---: |\n| a | 1 |\n12,000 1.2e30\n";
        assert_eq!(markdown(text, &context).unwrap(), expected);
        assert!(markdown("{{ other }}", &context).is_err());
    }
}
