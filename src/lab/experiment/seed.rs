//! Seeds. The only place where randomness enters an experiment.

use sha2::{Digest, Sha256};

/// What a seed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The rounds.
    Stream,
    /// The actions drawn from what a policy answers.
    Actions,
    /// Resampling of runs in a report.
    Bootstrap,
}

/// The seed of run `run` of `experiment`.
///
/// # Formula
/// The first eight bytes, little endian, of
/// `SHA-256("deferlab seed\n<master>\n<experiment>\n<run>\n<purpose>\n")`. Neither the stream nor
/// the policy enters: all of them meet the same draws, and their differences are paired.
pub fn seed(master: u64, experiment: &str, run: u32, purpose: Purpose) -> u64 {
    let purpose = match purpose {
        Purpose::Stream => "stream",
        Purpose::Actions => "actions",
        Purpose::Bootstrap => "bootstrap",
    };
    let text = format!("deferlab seed\n{master}\n{experiment}\n{run}\n{purpose}\n");
    let digest = Sha256::digest(text.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// `SHA-256` of `bytes` in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula by `printf 'deferlab seed\n7\ndemo\n0\nstream\n' | sha256sum`.
    #[test]
    fn seeds_are_what_the_formula_says() {
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        let hex = sha256_hex(b"deferlab seed\n7\ndemo\n0\nstream\n");
        let bytes: Vec<u8> =
            (0..8).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
        let expected = u64::from_le_bytes(bytes.try_into().unwrap());
        assert_eq!(seed(7, "demo", 0, Purpose::Stream), expected);
        let others = [
            seed(8, "demo", 0, Purpose::Stream),
            seed(7, "demp", 0, Purpose::Stream),
            seed(7, "demo", 1, Purpose::Stream),
            seed(7, "demo", 0, Purpose::Actions),
        ];
        assert!(others.iter().all(|&s| s != expected));
    }
}
