//! The series of a figure, with what repeats left out.
//!
//! Lines of a figure mostly share their horizontal axis, and some are equal to the last digit
//! (learners that differ only in a ball that never binds). A line without `x` has that of the
//! first line; one with `as` has the `y` and the `band` of the line of that number.

use serde::Serialize;
use serde_json::Value as Json;

/// The figure with repetitions left out.
pub(super) fn shared(figure: &impl Serialize) -> Json {
    without_repetitions(&serde_json::to_value(figure).unwrap_or_default())
}

fn without_repetitions(figure: &Json) -> Json {
    let mut out = figure.clone();
    let lines = figure["lines"].as_array().map_or(&[][..], Vec::as_slice);
    for (i, line) in lines.iter().enumerate().skip(1) {
        let Some(entry) = out["lines"][i].as_object_mut() else { continue };
        if line["x"] == lines[0]["x"] {
            entry.shift_remove("x");
        }
        let equal = |other: &Json| other["y"] == line["y"] && other["band"] == line["band"];
        if let Some(k) = lines[..i].iter().position(equal) {
            entry.shift_remove("y");
            entry.shift_remove("band");
            entry.insert("as".into(), k.into());
        }
    }
    out
}

#[cfg(test)]
#[path = "../../../theory_tests/page/restored.rs"]
mod restored;

#[cfg(test)]
mod tests {
    use super::restored::restored;
    use super::*;
    use serde_json::json;

    #[test]
    fn what_repeats_is_left_out_and_comes_back() {
        let figure = json!({ "id": "f", "lines": [
            { "label": "a", "x": [1.0, 2.0], "y": [0.5, 0.25], "band": [[0.0, 1.0], [0.0, 1.0]] },
            { "label": "b", "x": [1.0, 2.0], "y": [0.5, 0.25], "band": [[0.0, 1.0], [0.0, 1.0]] },
            { "label": "c", "x": [1.0, 2.0], "y": [0.5, 0.25], "band": null },
            { "label": "d", "x": [3.0], "y": [0.5], "band": null },
        ] });
        let small = without_repetitions(&figure);
        assert_eq!(small["lines"][1], json!({ "label": "b", "as": 0 }));
        assert_eq!(small["lines"][2], json!({ "label": "c", "y": [0.5, 0.25], "band": null }));
        assert_eq!(small["lines"][3], figure["lines"][3]);
        assert_eq!(restored(&small), figure);
        assert_eq!(restored(&without_repetitions(&json!({ "lines": [] }))), json!({ "lines": [] }));
    }
}
