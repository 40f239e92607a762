//! Saved states that say when they are damaged: a JSON object whose last field is the `SHA-256` of the rest.
//!
//! One changed digit of a weight is still a state, and would be gone on from in silence. A state without
//! the field, edited by hand, is taken as it is.

use lab::sha256_hex;

const FIELD: &str = ",\"sha256\":\"";
const END: &str = "\"}";

/// A JSON object with its checksum.
#[must_use]
pub fn seal(object: &str) -> String {
    match object.strip_suffix('}') {
        Some(start) => format!("{start}{FIELD}{}{END}", sha256_hex(object.as_bytes())),
        None => object.into(),
    }
}

/// The object without its checksum.
///
/// # Errors
/// They do not fit.
pub fn unseal(text: &str) -> Result<String, &'static str> {
    let text = text.trim_end();
    let Some((start, sum)) = text.strip_suffix(END).and_then(|text| text.rsplit_once(FIELD)) else {
        return Ok(text.into());
    };
    let object = format!("{start}}}");
    match sha256_hex(object.as_bytes()) == sum {
        true => Ok(object),
        false => Err("it was damaged: its sha256 does not fit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_noticed() {
        let object = r#"{"version":1,"weights":[0.5,-1e-3],"text":"a\"}"}"#;
        let sealed = seal(object);
        assert_eq!(unseal(&(sealed.clone() + "\n")).unwrap(), object);
        assert_eq!(unseal(object).unwrap(), object);
        let fields = ["version", "weights", "text"];
        for i in 0..8 * sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[i / 8] ^= 1 << (i % 8);
            // A state has no other fields than its own.
            let read = || -> Option<serde_json::Map<String, serde_json::Value>> {
                let object = unseal(std::str::from_utf8(&bytes).ok()?).ok()?;
                serde_json::from_str(&object).ok()
            };
            let accepted =
                read().is_some_and(|map| map.keys().all(|key| fields.contains(&key.as_str())));
            assert!(!accepted, "bit {i}: {}", String::from_utf8_lossy(&bytes));
        }
    }
}
