//! Markdown documents of the reports folder, as HTML for the page.
//!
//! Figures become part of the page: those of a report in the folder as the figure one can explore,
//! any other image as a data address. Links lead within the page or are left as their text: the
//! page must stand alone. HTML inside a document is shown as text.

use super::PageError;
use crate::escape::html as escape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::path::Path;

/// A part of a document that can be opened.
const PART: &str = "<details class=\"part\"";

/// After a heading: the page shows this part in a form of its own.
const ELSEWHERE: &str = "<!-- shown elsewhere on the page -->";

/// What a document may refer to.
pub(super) struct Targets<'a> {
    /// Claims, by id.
    pub(super) claims: Vec<&'a str>,
    /// Figures on the page: report and figure.
    pub(super) figures: Vec<(&'a str, &'a str)>,
    /// Reports on the page.
    pub(super) reports: Vec<&'a str>,
    /// Documents on the page.
    pub(super) documents: Vec<&'a str>,
}

/// The title (the first heading of the highest level) and the rest as HTML.
///
/// # Errors
/// An image that cannot be read.
pub(super) fn place(
    name: &str,
    text: &str,
    folder: &Path,
    targets: &Targets<'_>,
) -> Result<(String, String), PageError> {
    let (mut title, mut in_title) = (String::new(), false);
    let mut alt: Option<(String, String)> = None;
    let mut events: Vec<Event<'_>> = Vec::new();
    let (mut kept_links, mut file): (Vec<bool>, Option<String>) = (Vec::new(), None);
    let (mut parts, mut left_out) = (0, false);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        let new_part = matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }));
        left_out &= !new_part;
        match event {
            Event::Html(text) if text.trim() == ELSEWHERE => {
                let from =
                    events.iter().rposition(|e| matches!(e, Event::Html(h) if h.contains(PART)));
                events.truncate(from.unwrap_or(events.len()));
                parts -= 1;
                left_out = true;
            }
            _ if left_out => {}
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                parts += 1;
                let end = if parts > 1 { "</details>\n" } else { "" };
                let begin = format!("{end}{PART} id=\"document-{name}-{parts}\"><summary><h4>");
                // One piece, so that a part that is left out can be taken back as a whole.
                events.push(Event::Html(begin.into()));
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => {
                events.push(Event::Html("</h4></summary>\n".into()));
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if title.is_empty() => {
                in_title = true;
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) if in_title => in_title = false,
            Event::Text(text) | Event::Code(text) if in_title => title += &text,
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let level = deeper(level);
                events.push(Event::Start(Tag::Heading { level, id: None, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                events.push(Event::End(TagEnd::Heading(deeper(level))));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                alt = Some((dest_url.into_string(), String::new()));
            }
            Event::End(TagEnd::Image) => {
                let (address, alt) = alt.take().unwrap_or_default();
                let markup = image(name, &address, &alt, folder, targets)?;
                events.push(Event::InlineHtml(markup.into()));
            }
            Event::Text(text) if alt.is_some() => {
                if let Some((_, words)) = &mut alt {
                    *words += &text;
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = link(&dest_url, targets);
                kept_links.push(target.is_some());
                // A file that has become a part of the page is called by what it is.
                file = target.is_some().then(|| dest_url.to_string());
                if let Some(target) = target {
                    let dest_url = CowStr::from(target);
                    events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
            }
            Event::End(TagEnd::Link) => {
                file = None;
                if kept_links.pop() == Some(true) {
                    events.push(Event::End(TagEnd::Link));
                }
            }
            Event::Text(text) if file.as_deref() == Some(&*text) => {
                let part = text.strip_suffix(".md").unwrap_or(&text);
                events.push(Event::Text(format!("the {part}").into()));
            }
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            other => events.push(other),
        }
    }
    if parts > 0 {
        events.push(Event::Html("</details>\n".into()));
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    // A wide table scrolls in a box of its own, so that the page never does.
    let out = out
        .replace(
            "<table>",
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table>",
        )
        .replace("</table>", "</table></div>");
    let title = if title.is_empty() { name.to_string() } else { title };
    Ok((title, out))
}

/// Two levels below what it was: the page has headings of its own above.
fn deeper(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

/// Where on the page an address leads, if anywhere.
fn link(address: &str, targets: &Targets<'_>) -> Option<String> {
    let address = address.trim_start_matches("./");
    let (file, anchor) = address.split_once('#').unwrap_or((address, ""));
    if file == "ledger.md" || file == "ledger.json" {
        // Headings lose their dots in the anchors of code forges.
        let claim =
            targets.claims.iter().find(|id| !anchor.is_empty() && id.replace('.', "") == anchor);
        return Some(claim.map_or("#ledger".into(), |id| format!("#{id}")));
    }
    if let Some(name) = file.strip_suffix(".md")
        && targets.documents.contains(&name)
    {
        return Some(format!("#document-{name}"));
    }
    let folder = file.split('/').next().unwrap_or(file);
    let figure = |f: &&(&str, &str)| f.0 == folder && file.contains(&format!("figure-{}.", f.1));
    if let Some((report, figure)) = targets.figures.iter().find(figure) {
        return Some(format!("#figure-{report}-{figure}"));
    }
    targets.reports.contains(&folder).then(|| format!("#report-{folder}"))
}

fn image(
    name: &str,
    address: &str,
    alt: &str,
    folder: &Path,
    targets: &Targets<'_>,
) -> Result<String, PageError> {
    let address = address.trim_start_matches("./");
    let explored = |f: &&(&str, &str)| address == format!("{}/figure-{}.svg", f.0, f.1);
    if let Some((report, figure)) = targets.figures.iter().find(explored) {
        return Ok(format!(
            "<span class=\"chart\" data-report=\"{report}\" data-figure=\"{figure}\"></span>"
        ));
    }
    let path = folder.join(address);
    let bytes = std::fs::read(&path).map_err(|source| PageError::Figure {
        path: folder.join(name).with_extension("md"),
        figure: address.into(),
        source,
    })?;
    let alt = escape(alt);
    let address = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => svg_address(&String::from_utf8_lossy(&bytes)),
        Some("png") => format!("data:image/png;base64,{}", base64(&bytes)),
        Some("webp") => format!("data:image/webp;base64,{}", base64(&bytes)),
        _ => format!("data:image/jpeg;base64,{}", base64(&bytes)),
    };
    Ok(format!("<img class=\"drawn\" alt=\"{alt}\" src=\"{address}\">"))
}

/// A drawing as an address, a quarter shorter than base64: only what an attribute or an address cannot hold
/// is encoded, and colons, so that nothing on the page looks like an address elsewhere.
fn svg_address(svg: &str) -> String {
    let mut out = String::from("data:image/svg+xml,");
    for c in svg.chars() {
        match c {
            '%' | '#' | '"' | '&' | ':' | '<' | '>' | '\n' => out += &format!("%{:02X}", c as u32),
            other => out.push(other),
        }
    }
    out
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { digit as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn documents_stand_alone_on_the_page() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("map.svg"), "<svg/>").unwrap();
        let targets = Targets {
            claims: vec!["thm-6.5"],
            figures: vec![("rates", "regret")],
            reports: vec!["rates"],
            documents: vec!["audit"],
        };
        let text = "# The *frontier*\n\n## Part\n\n[a](ledger.md#thm-65) [b](rates/README.md) \
                    [audit.md](audit.md) [d](https://example.org) [e](../src/lib.rs) <script>x</script>\n\n\
                    ![map](map.svg)\n\n![r](rates/figure-regret.svg)\n\n| a |\n|---|\n| 1 |\n";
        let (title, html) = place("frontier", text, folder.path(), &targets).unwrap();
        assert_eq!(title, "The frontier");
        for part in [
            "<h4>Part</h4>",
            "href=\"#thm-6.5\"",
            "href=\"#report-rates\"",
            "href=\"#document-audit\">the audit</a>",
            "data:image/svg+xml,%3Csvg/%3E",
            "data-report=\"rates\" data-figure=\"regret\"",
            "class=\"scroll\"",
            "&lt;script&gt;",
        ] {
            assert!(html.contains(part), "{part} is missing in {html}");
        }
        for part in ["example.org", "src/lib.rs", "<script>"] {
            assert!(!html.contains(part), "{part} is in {html}");
        }
        let error = place("f", "![x](gone.svg)", folder.path(), &targets).unwrap_err();
        assert!(error.to_string().contains("gone.svg"), "{error}");
    }
}
