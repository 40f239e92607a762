//! How two configurations differ.

use serde_json::Value as Json;

/// `path: old -> new` for everything that differs.
pub(super) fn differences(at: &str, old: &Json, new: &Json, out: &mut Vec<String>) {
    let inside = |key: &str| if at.is_empty() { key.to_string() } else { format!("{at}.{key}") };
    match (old, new) {
        (Json::Object(a), Json::Object(b)) => {
            let added = b.keys().filter(|k| !a.contains_key(*k));
            for key in a.keys().chain(added) {
                let of = |side: &serde_json::Map<String, Json>| side.get(key).cloned();
                let (a, b) = (of(a).unwrap_or(Json::Null), of(b).unwrap_or(Json::Null));
                differences(&inside(key), &a, &b, out);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}[{i}]"), a, b, out);
            }
        }
        _ if old != new => out.push(format!("  {at}: stored {old}, now {new}")),
        _ => {}
    }
}
