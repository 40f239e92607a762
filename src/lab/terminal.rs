//! Text that somebody wrote, on a terminal.

/// One line without anything that a terminal would obey: no control characters, so no escape sequences,
/// and no marks that change the direction of what follows. Line ends and tabs become spaces.
#[must_use]
pub fn terminal(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_bidi(*c))
        .collect()
}

/// Marks that change the direction of what follows: they can make a label read as another one.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let hostile = "a\u{1b}[2K\rall\tchecks\u{9b}1m\u{202e} passed\u{7}\n\u{7f}";
        assert_eq!(terminal(hostile), "a[2K all checks1m passed ");
        assert_eq!(terminal("eta_t = 0.5 \u{b1} 1"), "eta_t = 0.5 \u{b1} 1");
    }
}
