//! Cube roots of consecutive whole numbers, sixteen for little more than the price of one.
//!
//! `libm::cbrt` rounds correctly, so whatever rounds correctly gives its bits. From the root of one
//! number the roots around it follow by a series, and one step of Newton's method in twice the usual
//! precision says which number is nearest. Where that is too close to call, `libm` is asked.

/// How many are worked out together.
pub(super) const COUNT: usize = 16;

/// From here on the series is accurate to 2^-40, so that Newton's method is to 2^-79.
const SERIES_FROM: u64 = 4096;

/// Up to here no root but those of cubes comes near a power of two, below which numbers lie denser.
const SERIES_UNTIL: u64 = 1 << 40;

/// Ties that are nearer than this share of the root are left to `libm`: 500 times the error above.
const TOO_CLOSE: f64 = 1.0 / (1u64 << 35) as f64 / (1u64 << 35) as f64;

/// `libm::cbrt` of `first`, `first + 1`, ..., to the bit.
pub(super) fn cube_roots(first: u64) -> [f64; COUNT] {
    let numbers: [f64; COUNT] = std::array::from_fn(|i| (first + i as u64) as f64);
    if !(SERIES_FROM..SERIES_UNTIL).contains(&first) {
        return numbers.map(libm::cbrt);
    }
    let middle = numbers[COUNT / 2];
    let (root, inverse) = (libm::cbrt(middle), 1.0 / middle);
    let mut roots = [0.0; COUNT];
    let mut doubtful = false;
    for (nearest, &number) in roots.iter_mut().zip(&numbers) {
        // (1 + e)^(1/3) = 1 + e/3 - e^2/9 + 5 e^3/81 - ...
        let e = (number - middle) * inverse;
        let near = root + root * (e * (1.0 / 3.0 - e * (1.0 / 9.0 - e * (5.0 / 81.0))));
        let (square, square_rest) = product(near, near);
        let (cube, cube_rest) = product(square, near);
        let excess = (cube - number) + (cube_rest + near * square_rest);
        let correction = excess * (near * (1.0 / 3.0)) / number;
        *nearest = near - correction;
        // The root is `nearest` plus this, which is at most half the distance to the next number.
        let rest = (near - *nearest) - correction;
        let power = f64::from_bits(nearest.to_bits() & (0x7ff << 52));
        let to_tie = power * (f64::EPSILON / 2.0) - rest.abs();
        doubtful |= to_tie < TOO_CLOSE * power;
    }
    if doubtful { numbers.map(libm::cbrt) } else { roots }
}

/// `a b` as a rounded product and what rounding took (Dekker 1971), without a fused multiply-add.
#[inline(always)]
fn product(a: f64, b: f64) -> (f64, f64) {
    let halves = |x: f64| {
        let scaled = x * 134_217_729.0; // 2^27 + 1
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    let rounded = a * b;
    let rest = ((a_high * b_high - rounded) + a_high * b_low + a_low * b_high) + a_low * b_low;
    (rounded, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn agrees(first: u64) -> bool {
        let expected: [f64; COUNT] = std::array::from_fn(|i| libm::cbrt((first + i as u64) as f64));
        cube_roots(first).map(f64::to_bits) == expected.map(f64::to_bits)
    }

    #[test]
    fn every_bit_is_that_of_the_library() {
        assert!((1..300_000).step_by(COUNT).all(agrees));
        for power in 0..54 {
            assert!(agrees(1 << power), "2^{power}");
        }
        for root in (16..10_000u64).step_by(7) {
            assert!(agrees(root * root * root - 3), "around {root}^3");
        }
        quickcheck((|seed: u64| agrees(seed >> (seed % 40 + 11))) as fn(u64) -> bool);
    }

    #[test]
    fn a_product_and_its_rest_are_exact() {
        let (a, b) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        assert_eq!(product(a, b), (1.0, -f64::EPSILON * f64::EPSILON));
    }
}
