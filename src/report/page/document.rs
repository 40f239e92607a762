//! Markdown documents of the reports folder, as HTML for the page.
//!
//! Figures become part of the page: those of a report in the folder as the figure one can explore,
//! any other image as a data address. Links lead within the page or are left as their text: the
//! page must stand alone. HTML inside a document is shown as text.

use crate::ReportError;
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
    /// Figures of documents that the page draws: name of the file, and figure.
    pub(super) drawings: Vec<(&'a str, &'a str)>,
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
) -> Result<(String, String), ReportError> {
    let mut placing = Placing::new(name, folder, targets);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        placing.take(event)?;
    }
    Ok(placing.finish())
}

/// A document half placed.
struct Placing<'a> {
    name: &'a str,
    folder: &'a Path,
    targets: &'a Targets<'a>,
    title: String,
    in_title: bool,
    /// Address and words of the image that is being read.
    alt: Option<(String, String)>,
    events: Vec<Event<'a>>,
    /// Which of the links that are open stay links.
    kept_links: Vec<bool>,
    /// The file that an open link leads to.
    file: Option<String>,
    parts: usize,
    left_out: bool,
}

impl<'a> Placing<'a> {
    fn new(name: &'a str, folder: &'a Path, targets: &'a Targets<'a>) -> Self {
        Placing {
            name,
            folder,
            targets,
            title: String::new(),
            in_title: false,
            alt: None,
            events: Vec::new(),
            kept_links: Vec::new(),
            file: None,
            parts: 0,
            left_out: false,
        }
    }

    fn take(&mut self, event: Event<'a>) -> Result<(), ReportError> {
        let new_part = matches!(event, Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }));
        self.left_out &= !new_part;
        match event {
            Event::Html(text) if text.trim() == ELSEWHERE => self.leave_out(),
            _ if self.left_out => {}
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => self.begin_part(),
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => {
                self.events.push(Event::Html("</h4></summary>\n".into()));
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) if self.title.is_empty() => {
                self.in_title = true;
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) if self.in_title => {
                self.in_title = false;
            }
            Event::Text(text) | Event::Code(text) if self.in_title => self.title += &text,
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let level = deeper(level);
                self.events.push(Event::Start(Tag::Heading { level, id: None, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                self.events.push(Event::End(TagEnd::Heading(deeper(level))));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                self.alt = Some((dest_url.into_string(), String::new()));
            }
            Event::End(TagEnd::Image) => {
                let (address, alt) = self.alt.take().unwrap_or_default();
                let markup = image(self.name, &address, &alt, self.folder, self.targets)?;
                self.events.push(Event::InlineHtml(markup.into()));
            }
            Event::Text(text) if self.alt.is_some() => {
                if let Some((_, words)) = &mut self.alt {
                    *words += &text;
                }
            }
            Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) => self.link(event),
            Event::Text(text) if self.file.as_deref() == Some(&*text) => {
                let part = text.strip_suffix(".md").unwrap_or(&text);
                self.events.push(Event::Text(format!("the {part}").into()));
            }
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            other => self.events.push(other),
        }
        Ok(())
    }

    /// Takes back the part that has begun.
    fn leave_out(&mut self) {
        let begins = |e: &Event<'_>| matches!(e, Event::Html(h) if h.contains(PART));
        let from = self.events.iter().rposition(begins);
        self.events.truncate(from.unwrap_or(self.events.len()));
        self.parts -= 1;
        self.left_out = true;
    }

    fn begin_part(&mut self) {
        self.parts += 1;
        let (name, part) = (self.name, self.parts);
        let end = if part > 1 { "</details>\n" } else { "" };
        let begin = format!("{end}{PART} id=\"document-{name}-{part}\"><summary><h4>");
        // One piece, so that a part that is left out can be taken back as a whole.
        self.events.push(Event::Html(begin.into()));
    }

    /// The beginning or the end of a link, kept where it leads somewhere on the page.
    fn link(&mut self, event: Event<'a>) {
        let Event::Start(Tag::Link { link_type, dest_url, title, id }) = event else {
            self.file = None;
            if self.kept_links.pop() == Some(true) {
                self.events.push(event);
            }
            return;
        };
        let target = link(&dest_url, self.targets);
        self.kept_links.push(target.is_some());
        // A file that has become a part of the page is called by what it is.
        self.file = target.is_some().then(|| dest_url.to_string());
        if let Some(target) = target {
            let dest_url = CowStr::from(target);
            self.events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
        }
    }

    fn finish(mut self) -> (String, String) {
        if self.parts > 0 {
            self.events.push(Event::Html("</details>\n".into()));
        }
        let mut out = String::new();
        html::push_html(&mut out, self.events.into_iter());
        // A wide table scrolls in a box of its own, so that the page never does.
        let out = out
            .replace(
                "<table>",
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table>",
            )
            .replace("</table>", "</table></div>");
        let title = if self.title.is_empty() { self.name.to_string() } else { self.title };
        (title, out)
    }
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
        return Some(format!("#plot-{report}-{figure}"));
    }
    targets.reports.contains(&folder).then(|| format!("#report-{folder}"))
}

fn image(
    name: &str,
    address: &str,
    alt: &str,
    folder: &Path,
    targets: &Targets<'_>,
) -> Result<String, ReportError> {
    let address = address.trim_start_matches("./");
    let explored = |f: &&(&str, &str)| address == format!("{}/figure-{}.svg", f.0, f.1);
    let drawn = |f: &&(&str, &str)| address.strip_suffix(".svg") == f.0.strip_suffix(".json");
    let known = targets.figures.iter().find(explored);
    if let Some((report, figure)) = known.or_else(|| targets.drawings.iter().find(drawn)) {
        return Ok(format!(
            "<span class=\"chart\" data-report=\"{report}\" data-figure=\"{figure}\"></span>"
        ));
    }
    let path = folder.join(address);
    let bytes = std::fs::read(&path).map_err(|source| ReportError::Figure {
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
            drawings: vec![("phase.json", "m")],
            reports: vec!["rates"],
            documents: vec!["audit"],
        };
        let text = "# The *frontier*\n\n## Part\n\n[a](ledger.md#thm-65) [b](rates/README.md) \
                    [audit.md](audit.md) [d](https://example.org) [e](../src/lib.rs) <script>x</script>\n\n\
                    ![map](map.svg)\n\n![r](rates/figure-regret.svg)\n\n![p](phase.svg)\n\n| a |\n|---|\n| 1 |\n";
        let (title, html) = place("frontier", text, folder.path(), &targets).unwrap();
        assert_eq!(title, "The frontier");
        for part in [
            "<h4>Part</h4>",
            "href=\"#thm-6.5\"",
            "href=\"#report-rates\"",
            "href=\"#document-audit\">the audit</a>",
            "data:image/svg+xml,%3Csvg/%3E",
            "data-report=\"rates\" data-figure=\"regret\"",
            "data-report=\"phase.json\" data-figure=\"m\"",
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
