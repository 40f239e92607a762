//! Reads the series of a figure on the page as the page's own script does. Also compiled into `report`.

use serde_json::Value as Json;

/// The figure as it was stored.
pub(crate) fn restored(figure: &Json) -> Json {
    let mut out = figure.clone();
    for i in 1..figure["lines"].as_array().map_or(0, Vec::len) {
        let like = out["lines"][i].get("as").and_then(Json::as_u64);
        let mut copied: Vec<(&str, usize)> = Vec::new();
        if out["lines"][i].get("x").is_none() {
            copied.push(("x", 0));
        }
        copied.extend(like.into_iter().flat_map(|k| [("y", k as usize), ("band", k as usize)]));
        for (key, from) in copied {
            let value = out["lines"][from][key].clone();
            out["lines"][i][key] = value;
        }
        if let Some(line) = out["lines"][i].as_object_mut() {
            line.shift_remove("as");
        }
    }
    out
}
