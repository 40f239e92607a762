//! Small helpers over exact rationals: text form, rounding, and certified square roots and
//! logarithms.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::sync::OnceLock;

/// An exact rational number of any size.
pub type Rational = BigRational;

/// Rational numbers written as `"p/q"` strings (or `"p"`), for `#[serde(with = "fractions")]` on a
/// `Vec<Rational>`.
pub(crate) mod fractions {
    use super::Rational;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(values: &[Rational], out: S) -> Result<S::Ok, S::Error> {
        values.iter().map(Rational::to_string).collect::<Vec<_>>().serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<Vec<Rational>, D::Error> {
        let texts = Vec::<String>::deserialize(input)?;
        texts.iter().map(|text| super::parse(text).map_err(D::Error::custom)).collect()
    }
}

/// The same for a single number.
pub(crate) mod fraction {
    use super::Rational;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(value: &Rational, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(value)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Rational, D::Error> {
        super::parse(&String::deserialize(input)?).map_err(D::Error::custom)
    }
}

/// `p / q`.
///
/// # Panics
/// If `q` is zero, like division: meant for constants.
#[must_use]
pub fn ratio(p: i64, q: i64) -> Rational {
    Rational::new(p.into(), q.into())
}

/// What could not be read as a fraction.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a fraction p/q of integers with q != 0")]
struct NotAFraction(String);

/// Reads `"p/q"` or `"p"`.
fn parse(text: &str) -> Result<Rational, NotAFraction> {
    text.parse().map_err(|_| NotAFraction(text.into()))
}

/// The multiple of `1 / denominator` nearest to `value`; `None` when `value` is not finite.
pub(crate) fn nearest(value: f64, denominator: i64) -> Option<Rational> {
    let exact = Rational::from_float(value)?;
    Some((exact * ratio(denominator, 1)).round() / ratio(denominator, 1))
}

/// Scale of the enclosures below: that of a square root is at most `2^-BITS` wide, that of a
/// logarithm near zero at most 64 times as wide, far below any margin that is decided with them.
const BITS: usize = 96;

/// `(low, high)` with `low <= sqrt(x) <= high` and `high - low <= 2^-96`; `None` for negative `x`.
pub(crate) fn sqrt_bounds(x: &Rational) -> Option<(Rational, Rational)> {
    if x.is_negative() {
        return None;
    }
    // sqrt(p/q) = sqrt(pq) / q, which is exact for squares of fractions.
    let product: BigInt = (x.numer() * x.denom()) << (2 * BITS);
    let scale: BigInt = x.denom() << BITS;
    let root = product.sqrt();
    let exact = &root * &root == product;
    let low = Rational::new(root.clone(), scale.clone());
    let high = if exact { low.clone() } else { Rational::new(root + 1, scale) };
    Some((low, high))
}

/// `(low, high)` with `low <= ln(x) <= high`; `None` unless `x` is positive.
///
/// Halves or doubles `x` into `[2/3, 4/3]`, then sums
/// `ln x = 2 (z + z^3/3 + z^5/5 + ...)`, `z = (x - 1) / (x + 1)`.
pub(crate) fn ln_bounds(x: &Rational) -> Option<(Rational, Rational)> {
    if !x.is_positive() {
        return None;
    }
    let (mut reduced, mut halvings) = (x.clone(), 0i64);
    while reduced > ratio(4, 3) {
        reduced /= ratio(2, 1);
        halvings += 1;
    }
    while reduced < ratio(2, 3) {
        reduced *= ratio(2, 1);
        halvings -= 1;
    }
    let (low, high) = ln_near_one(&reduced);
    if halvings == 0 {
        return Some((low, high));
    }
    let (two_low, two_high) = ln_two();
    let count = ratio(halvings, 1);
    Some(if halvings >= 0 {
        (low + &count * two_low, high + count * two_high)
    } else {
        (low + &count * two_high, high + count * two_low)
    })
}

/// `ln 2 = ln(4/3) + ln(3/2)`, worked out once.
fn ln_two() -> &'static (Rational, Rational) {
    static LN_TWO: OnceLock<(Rational, Rational)> = OnceLock::new();
    LN_TWO.get_or_init(|| {
        let (low, high) = ln_near_one(&ratio(4, 3));
        let (low3, high3) = ln_near_one(&ratio(3, 2));
        (low + low3, high + high3)
    })
}

/// For `x` in `[2/3, 3/2]`, in integers scaled by `2^BITS` and rounded outwards at every step.
fn ln_near_one(x: &Rational) -> (Rational, Rational) {
    let z = (x - Rational::one()) / (x + Rational::one());
    let scale: BigInt = BigInt::one() << BITS;
    let size = z.abs() * Rational::from_integer(scale.clone());
    let (mut low, mut high) = (BigInt::zero(), BigInt::zero());
    let (mut power_low, mut power_high) = (size.floor().to_integer(), size.ceil().to_integer());
    let square_low = product_below(&power_low, &power_low);
    let square_high = product_above(&power_high, &power_high);
    let mut k = 1i64;
    // The upper power never falls below one unit, so it is the lower one that ends the sum.
    while power_low.is_positive() {
        low += &power_low / k;
        high += &power_high / k + 1;
        power_low = product_below(&power_low, &square_low);
        power_high = product_above(&power_high, &square_high);
        k += 2;
    }
    // What is left is at most power / (1 - z^2), and z^2 <= 1/25: twice the power is plenty.
    high += power_high << 1;
    let (low, high) = (Rational::new(low * 2, scale.clone()), Rational::new(high * 2, scale));
    if z.is_negative() { (-high, -low) } else { (low, high) }
}

/// The product of numbers scaled by `2^BITS`, rounded down.
fn product_below(a: &BigInt, b: &BigInt) -> BigInt {
    (a * b) >> BITS
}

/// The same, above the product.
fn product_above(a: &BigInt, b: &BigInt) -> BigInt {
    product_below(a, b) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::{Pow, ToPrimitive};

    #[test]
    fn fractions_are_read_and_written() {
        assert_eq!(parse("-6/4").unwrap(), ratio(-3, 2));
        assert_eq!(parse("7").unwrap().to_string(), "7");
        assert_eq!(ratio(22, 50).to_string(), "11/25");
        for bad in ["1/0", "0.5", "", "a/b"] {
            assert!(parse(bad).unwrap_err().to_string().contains(&format!("{bad:?}")));
        }
        assert_eq!(nearest(-0.9216, 10), Some(ratio(-9, 10)));
        assert_eq!(nearest(f64::NAN, 10), None);
    }

    #[test]
    fn enclosures_contain_the_value_and_are_tight() {
        for (p, q) in [(2, 1), (1, 3), (49, 25), (1_000_003, 7), (0, 1)] {
            let x = ratio(p, q);
            let (low, high) = sqrt_bounds(&x).unwrap();
            assert!(&low * &low <= x && &high * &high >= x);
            assert!((high - low).to_f64().unwrap() < 1e-28);
        }
        assert_eq!(sqrt_bounds(&ratio(49, 25)).unwrap().1, ratio(7, 5));
        assert!(sqrt_bounds(&ratio(-1, 2)).is_none());
        for (p, q) in [(2, 1), (1, 3), (1, 1), (999, 1000), (123_456, 7), (1, 5000)] {
            let (low, high) = ln_bounds(&ratio(p, q)).unwrap();
            let expected = libm::log(p as f64 / q as f64);
            let width = (&high - &low).to_f64().unwrap();
            assert!((0.0..1e-25).contains(&width), "{width}");
            assert!((low.to_f64().unwrap() - expected).abs() < 1e-14 * (1.0 + expected.abs()));
        }
        // Thirty digits of ln 2, from tables.
        let digits =
            parse("693147180559945309417232121458/1000000000000000000000000000000").unwrap();
        let (low, high) = ln_bounds(&ratio(2, 1)).unwrap();
        assert!((&low - &digits).abs() < parse("1/100000000000000000000000000").unwrap());
        assert!(low < high);
        assert!(ln_bounds(&ratio(0, 1)).is_none());
    }

    #[test]
    fn scaled_products_lie_between_their_roundings() {
        let scale = BigInt::one() << BITS;
        for (a, b) in [(3, 5), (0, 7), (-3, 5)] {
            // a / 2^96 times b is a b / 2^96; a b / 2^192 is less than one unit.
            let (a, b): (BigInt, BigInt) = (a.into(), b.into());
            assert_eq!(product_below(&(&a * &scale), &b), &a * &b);
            assert_eq!(product_above(&(&a * &scale), &b), &a * &b + 1);
            let (below, above) = (product_below(&a, &b), product_above(&a, &b));
            let exact = &a * &b;
            assert!(&below * &scale <= exact && exact < above * &scale);
        }
    }

    /// Below and above `|ln x|`, by the same series in exact fractions until its terms are
    /// `2^-200`.
    fn plain_ln(x: &Rational) -> (Rational, Rational) {
        let z = ((x - Rational::one()) / (x + Rational::one())).abs();
        let unit = Rational::new(BigInt::one(), BigInt::one() << 200usize);
        let (mut sum, mut k) = (Rational::zero(), 1i64);
        while Pow::pow(&z, k as u32) > unit {
            sum += Pow::pow(&z, k as u32) / ratio(k, 1);
            k += 2;
        }
        // A geometric series with ratio z^2 <= 1/25 is left.
        let rest = Pow::pow(&z, k as u32) * ratio(25, 24);
        (&sum * ratio(2, 1), (sum + rest) * ratio(2, 1))
    }

    #[test]
    fn logarithms_near_one_lie_in_their_enclosures() {
        let width = Rational::new(BigInt::one(), BigInt::one() << 90usize);
        let mut inputs = vec![ratio(1, 1), ratio(2, 3), ratio(4, 3), ratio(3, 2), ratio(7, 6)];
        inputs.extend([5, 8, 11, 100, 1001].map(|q| ratio(q - 1, q)));
        inputs.extend([5, 8, 11, 100, 1001].map(|q| ratio(q + 1, q)));
        for bits in [2usize, 10, 31, 48, 57, 60, 80, 95, 96, 97] {
            let small = Rational::new(BigInt::one(), BigInt::one() << bits);
            inputs.extend([Rational::one() + &small, Rational::one() - &small]);
        }
        for x in inputs {
            let (low, high) = ln_near_one(&x);
            let (least, most) = match x < Rational::one() {
                true => (-&high, -&low),
                false => (low.clone(), high.clone()),
            };
            let (below, above) = plain_ln(&x);
            assert!(least <= below && above <= most, "{x}");
            assert!(most - least <= width, "{x}");
            // The ends of the interval that needs no halving, and all between them.
            if ratio(2, 3) <= x && x <= ratio(4, 3) {
                assert_eq!(ln_bounds(&x), Some((low, high)));
            }
        }
    }
}
