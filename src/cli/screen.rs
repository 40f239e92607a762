//! What a terminal gets and a file does not: colour, and lines that fit the width.

use crate::claims::Verdict;
use clap::ColorChoice;
use std::fmt::Display;
use std::io::{IsTerminal, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard output gets colour; set once for each command line.
static COLOUR: AtomicBool = AtomicBool::new(false);

/// The colours in use, as the numbers of terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Green,
    Yellow,
    Magenta,
    Red,
    Faint,
    Bold,
}

/// Decides about colour: `--color`, then `NO_COLOR`, then whether anybody is looking.
pub(super) fn choose(choice: ColorChoice) {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let wanted = match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let dumb = set("TERM").is_some_and(|term| term == "dumb");
            set("NO_COLOR").is_none() && !dumb && stdout().is_terminal()
        }
    };
    COLOUR.store(wanted, Ordering::Relaxed);
}

/// `text` in a colour, where there is colour.
pub(super) fn paint(ink: Ink, text: impl Display) -> String {
    let code = match ink {
        Ink::Green => "32",
        Ink::Yellow => "33",
        Ink::Magenta => "35",
        Ink::Red => "1;31",
        Ink::Faint => "2",
        Ink::Bold => "1",
    };
    match COLOUR.load(Ordering::Relaxed) {
        true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        false => text.to_string(),
    }
}

/// The colour of a verdict: green stands, yellow and magenta stand with a reservation, red does not.
pub(super) fn ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Proved | Verdict::Holds | Verdict::Consistent => Ink::Green,
        Verdict::Loose => Ink::Yellow,
        Verdict::Vacuous => Ink::Magenta,
        Verdict::Fails | Verdict::Inconsistent => Ink::Red,
        Verdict::Unspecified | Verdict::Untried => Ink::Faint,
    }
}

/// Columns of the terminal, or of `COLUMNS` where there is none; without either, lines are not broken, so
/// that a program finds one record on one line.
pub(super) fn width() -> Option<usize> {
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    let seen = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    seen().or_else(said).filter(|columns| *columns > 0)
}

/// `text` broken at spaces so that no line is longer than `width`; every line after the first starts with
/// `indent` spaces, and the first is taken to start there too. A word that is too long stays whole.
pub(super) fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let Some(width) = width else { return text.to_string() };
    // A column that is left with almost nothing is no column.
    let room = width.saturating_sub(indent).max(24);
    let (mut out, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > room {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            used = 0;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_no_word_is_lost() {
        let text = "the surrogate's optimum never asks the expert and loses 1/10 per round";
        for width in [30, 40, 60, 200] {
            let lines = wrapped(text, 4, Some(width));
            let fits = |line: &str| line.chars().count() <= width;
            assert!(format!("    {lines}").lines().all(fits), "{lines}");
            assert_eq!(lines.split_whitespace().collect::<Vec<_>>().join(" "), text);
        }
        assert_eq!(wrapped(text, 4, None), text);
        // A word that is longer than the line is not cut.
        assert_eq!(wrapped("a very-long-word-without-any-space", 0, Some(10)).lines().count(), 2);
    }
}
