//! Valid bytes with a little damage, for everything that reads what others wrote.

use proptest::prelude::*;
use proptest::sample::Index;

/// Change, insert, remove or repeat a few bytes somewhere, or cut the rest off.
pub fn broken(mut bytes: Vec<u8>, edits: &[(u8, Index, Vec<u8>)]) -> Vec<u8> {
    for (what, at, with) in edits {
        if bytes.is_empty() {
            break;
        }
        let at = at.index(bytes.len());
        let end = (at + with.len()).min(bytes.len());
        match what {
            0 => drop(bytes.splice(at..end, with.iter().copied().take(end - at))),
            1 => drop(bytes.splice(at..at, with.iter().copied())),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes[at..end].repeat(3);
                bytes.splice(at..at, part);
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

pub fn edits() -> impl Strategy<Value = Vec<(u8, Index, Vec<u8>)>> {
    // Bytes that mean something somewhere come up more often than others.
    let byte = prop_oneof![
        any::<u8>(),
        proptest::sample::select(b"0123456789-+.,:;eE#\n\r\t \"'()[]{}naif".to_vec()),
    ];
    let edit = (0u8..6, any::<Index>(), proptest::collection::vec(byte, 1..6));
    proptest::collection::vec(edit, 1..5)
}
