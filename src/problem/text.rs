//! Text as an input: words and pairs of words, hashed into a sparse vector of fixed dimension.
//!
//! Nothing has to be learned or kept beforehand (no vocabulary), so a text becomes the same input
//! today, tomorrow and in another language. Two word groups that fall on the same place have random
//! signs, so that on average they cancel instead of adding up (Weinberger et al., *Feature hashing for
//! large scale multitask learning*).

use super::ProblemError;
use std::collections::BTreeMap;

/// The dimension that texts are hashed into when none is given.
pub const TEXT_DIM: usize = 1 << 12;

/// The largest one.
const LARGEST_DIM: usize = 1 << 24;

/// Indices, increasing, and values of the input that `text` becomes.
///
/// # Formula
/// The text in lower case (Unicode) is cut into words: the longest runs of letters and digits. A group
/// is one word, or two that follow each other with one space between them. With `h` the hash of the
/// group's UTF-8 bytes, a group adds `+1` to entry `h mod dim`, or `-1` where the highest bit of `h` is
/// set. The vector is then divided by its Euclidean norm; a text without words is the zero vector.
///
/// The hash is FNV-1a with 64 bits, then the finalizer of MurmurHash3:
/// ```text
/// h = 14695981039346656037;  for each byte b:  h = (h xor b) * 1099511628211        mod 2^64
/// h = (h xor h >> 33) * 0xff51afd7ed558ccd;  h = (h xor h >> 33) * 0xc4ceb9fe1a85ec53;  h = h xor h >> 33
/// ```
///
/// # Errors
/// `dim` is not a power of two between 2 and 2^24.
pub fn hash_text(text: &str, dim: usize) -> Result<(Vec<u32>, Vec<f64>), ProblemError> {
    check_dim(dim)?;
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    let mut add = |group: &str| {
        let (place, sign) = place(group, dim);
        *sums.entry(place).or_default() += sign;
    };
    let (mut previous, mut pair) = (words.next(), String::new());
    previous.into_iter().for_each(&mut add);
    while let (Some(first), Some(second)) = (previous, words.next()) {
        add(second);
        pair.clear();
        pair.extend([first, " ", second]);
        add(&pair);
        previous = Some(second);
    }
    // Groups that cancel leave nothing behind.
    sums.retain(|_, value| *value != 0.0);
    // Sums of ones are integers: this sum of squares has no rounding, whatever its order.
    let norm = sums.values().map(|value| value * value).sum::<f64>().sqrt();
    Ok(sums.into_iter().map(|(place, value)| (place, value / norm)).unzip())
}

/// Indices, increasing, and values of the input that named numbers become: `value` is added, with the
/// sign and at the place that [`hash_text`] gives a group of that name. Nothing is scaled. The order of
/// the names does not matter.
///
/// # Errors
/// As [`hash_text`].
pub fn hash_named(
    features: &[(String, f64)],
    dim: usize,
) -> Result<(Vec<u32>, Vec<f64>), ProblemError> {
    check_dim(dim)?;
    let mut sorted: Vec<&(String, f64)> = features.iter().collect();
    // Sums of three numbers depend on their order.
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for (name, value) in sorted {
        let (place, sign) = place(name, dim);
        *sums.entry(place).or_default() += sign * value;
    }
    sums.retain(|_, value| *value != 0.0);
    Ok(sums.into_iter().unzip())
}

fn check_dim(dim: usize) -> Result<(), ProblemError> {
    if dim.is_power_of_two() && (2..=LARGEST_DIM).contains(&dim) {
        return Ok(());
    }
    Err(ProblemError::TextDim { dim })
}

/// Where a group stands, and with which sign.
fn place(group: &str, dim: usize) -> (u32, f64) {
    let h = hash(group.as_bytes());
    // `dim` is at most 2^24: the place fits.
    ((h & (dim as u64 - 1)) as u32, if h >> 63 == 0 { 1.0 } else { -1.0 })
}

/// The low bits of FNV alone depend on little of a short word, hence the finalizer.
fn hash(bytes: &[u8]) -> u64 {
    finalize(fnv1a(bytes))
}

fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |h: u64, &b: &u8| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn finalize(mut h: u64) -> u64 {
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values of FNV-1a by its authors, and of the finalizer from its definition.
    #[test]
    fn the_hash_is_the_documented_one() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!((finalize(0), finalize(1)), (0, 0xb456_bcfc_34c2_cb2c));
    }

    #[test]
    fn words_and_pairs_are_counted_with_signs() {
        let dim = 1 << 20;
        let group = |text: &str| {
            let h = hash(text.as_bytes());
            ((h % dim as u64) as u32, if h >> 63 == 0 { 1.0 } else { -1.0 })
        };
        let (indices, values) = hash_text("  To be, or\nnot TO be!", dim).unwrap();
        // to, be, or, not; to be, be or, or not, not to: `to`, `be` and `to be` twice.
        assert_eq!(indices.len(), 8);
        assert!(indices.windows(2).all(|w| w[0] < w[1]));
        let norm = (3.0 * 4.0 + 5.0f64).sqrt();
        for (text, times) in [("to", 2.0), ("to be", 2.0), ("or", 1.0), ("not to", 1.0)] {
            let (place, sign) = group(text);
            let at = indices.iter().position(|&i| i == place).unwrap();
            assert_eq!(values[at], sign * times / norm, "{text}");
        }
        let norm2: f64 = values.iter().map(|v| v * v).sum();
        assert!((norm2 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn what_does_not_matter_does_not_matter() {
        let of = |text: &str| hash_text(text, TEXT_DIM).unwrap();
        assert_eq!(of("Straße, ÉCOLE 42"), of("straße...école\t42"));
        assert_ne!(of("ab"), of("a b"));
        assert_ne!(of("a b c"), of("a c b"));
        assert_eq!(of(" ?! "), (vec![], vec![]));
        assert_eq!(of("").0.len() + of("word").0.len(), 1);
    }

    /// Half of all groups have either sign, and they spread over all places.
    #[test]
    fn signs_and_places_are_even() {
        let hashes: Vec<u64> = (0..4096).map(|i| hash(format!("w{i}").as_bytes())).collect();
        let positive = hashes.iter().filter(|&&h| h >> 63 == 0).count();
        // Six standard deviations of a fair coin.
        assert!((positive as f64 - 2048.0).abs() < 6.0 * 32.0, "{positive}");
        let mut counts = [0u32; 64];
        hashes.iter().for_each(|h| counts[(h % 64) as usize] += 1);
        assert!(counts.iter().all(|&c| (16..=112).contains(&c)), "{counts:?}");
    }

    #[test]
    fn named_numbers_stand_at_their_names() {
        let named = |pairs: &[(&str, f64)], dim| {
            let pairs: Vec<_> = pairs.iter().map(|(name, v)| (name.to_string(), *v)).collect();
            hash_named(&pairs, dim).unwrap()
        };
        let (age, sign) = place("age", 1 << 20);
        assert_eq!(named(&[("age", 41.5)], 1 << 20), (vec![age], vec![sign * 41.5]));
        assert_eq!(named(&[("age", 0.0)], 1 << 20), (vec![], vec![]));
        // Three numbers on one of two places: the order in which they are given does not show.
        let pairs = [("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 1e16)];
        let mut turned = pairs;
        turned.reverse();
        assert_eq!(named(&pairs, 2), named(&turned, 2));
        assert!(hash_named(&[], 3).is_err());
    }

    #[test]
    fn a_dimension_that_is_no_power_of_two_is_refused() {
        for dim in [0, 1, 3, 1000, 1 << 25] {
            let message = hash_text("a", dim).unwrap_err().to_string();
            assert!(
                message.contains(&format!("dim = {dim}: expected a power of two")),
                "{message}"
            );
        }
    }
}
