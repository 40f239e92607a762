//! `exp` for four numbers at a time, with the bits of `libm`.
//!
//! The same steps in the same order as in `libm`, with choices in place of branches, so that they can be
//! taken side by side: `x = k ln 2 + r`, a rational function of `r`, and a power of two, which is exact.
//! Where an argument is far from the usual ones, `libm` itself is asked.

use std::array::from_fn;

/// Beyond this the power of two, or the result, is no longer an ordinary number.
const USUAL: f64 = 700.0;

/// High words of `ln(2)/2`, `3 ln(2)/2` and `2^-28`: the bounds that `libm` compares with.
const HALF_LN2: u64 = 0x3fd6_2e42;
const THREE_HALVES_LN2: u64 = 0x3ff0_a2b2;
const TINY: u64 = 0x3e30_0000;

/// `ln 2` in two parts, the first short enough that its multiples are exact, and its inverse.
const LN2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
const INVERSE_LN2: f64 = f64::from_bits(0x3ff7_1547_652b_82fe);

/// Coefficients of the rational function, lowest power first.
const P: [f64; 5] = [
    f64::from_bits(0x3fc5_5555_5555_553e),
    f64::from_bits(0xbf66_c16c_16be_bd93),
    f64::from_bits(0x3f11_566a_af25_de2c),
    f64::from_bits(0xbebb_bd41_c5d2_6bf1),
    f64::from_bits(0x3e66_3769_72be_a4d0),
];

/// Nothing stands behind the point of a number that was added to this.
const LARGE: f64 = (1u64 << 52) as f64;

/// A whole number added to this stands in the lowest bits.
const WHOLE: f64 = (3u64 << 51) as f64;

/// `libm::exp` of each, to the bit.
#[inline(always)]
fn exp(x: [f64; 4]) -> [f64; 4] {
    if x.iter().fold(true, |usual, x| usual & (x.abs() <= USUAL)) {
        usual(x)
    } else {
        x.map(libm::exp)
    }
}

/// Each step for all four before the next, as vector instructions take them.
#[inline(always)]
fn usual(x: [f64; 4]) -> [f64; 4] {
    type Four = [f64; 4];
    let high: [u64; 4] = from_fn(|a| x[a].abs().to_bits() >> 32);
    let sign: [u64; 4] = from_fn(|a| x[a].to_bits() & (1 << 63));
    let signed = |size: Four| -> Four { from_fn(|a| f64::from_bits(size[a].to_bits() | sign[a])) };
    // Towards zero, with what every processor has: to the nearest, and back if that was up.
    let half = signed([0.5; 4]);
    let size: Four = from_fn(|a| (INVERSE_LN2 * x[a] + half[a]).abs());
    let nearest: Four = from_fn(|a| (size[a] + LARGE) - LARGE);
    let down: Four = from_fn(|a| nearest[a] - if nearest[a] > size[a] { 1.0 } else { 0.0 });
    let near: Four = from_fn(|a| if high[a] > HALF_LN2 { 1.0 } else { 0.0 });
    let k = signed(from_fn(|a| if high[a] >= THREE_HALVES_LN2 { down[a] } else { near[a] }));
    let hi: Four = from_fn(|a| x[a] - k[a] * LN2_HIGH);
    let lo: Four = from_fn(|a| k[a] * LN2_LOW);
    let r: Four = from_fn(|a| hi[a] - lo[a]);
    let square: Four = from_fn(|a| r[a] * r[a]);
    let mut sum = [P[4]; 4];
    for p in [P[3], P[2], P[1], P[0]] {
        sum = from_fn(|a| p + square[a] * sum[a]);
    }
    let c: Four = from_fn(|a| r[a] - square[a] * sum[a]);
    let y: Four = from_fn(|a| 1.0 + (r[a] * c[a] / (2.0 - c[a]) - lo[a] + hi[a]));
    let power: [u64; 4] = from_fn(|a| (k[a] + WHOLE).to_bits().wrapping_add(1023) << 52);
    from_fn(|a| if high[a] > TINY { y[a] * f64::from_bits(power[a]) } else { 1.0 + x[a] })
}

/// The logistic function of each, without overflow.
#[inline(always)]
fn logistic(z: [f64; 4]) -> [f64; 4] {
    let e = exp(z.map(|z| -z.abs()));
    from_fn(|a| (if z[a] >= 0.0 { 1.0 } else { e[a] }) / (1.0 + e[a]))
}

/// Replaces every number by its exponential.
pub(crate) fn exp_all(x: &mut [f64]) {
    in_fours(x, exp);
}

/// Replaces every number by the logistic function of it.
pub(crate) fn logistic_all(z: &mut [f64]) {
    in_fours(z, logistic);
}

#[inline(always)]
fn in_fours(x: &mut [f64], f: impl Fn([f64; 4]) -> [f64; 4]) {
    let (fours, rest) = x.as_chunks_mut();
    fours.iter_mut().for_each(|four| *four = f(*four));
    if !rest.is_empty() {
        let mut last = [0.0; 4];
        last[..rest.len()].copy_from_slice(rest);
        rest.copy_from_slice(&f(last)[..rest.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn agrees(x: [f64; 4]) -> bool {
        let bits = |y: [f64; 4]| y.map(|y| if y.is_nan() { 0 } else { y.to_bits() });
        bits(exp(x)) == bits(x.map(libm::exp))
    }

    #[test]
    fn every_bit_is_that_of_the_library() {
        // Around every bound, on both sides and from both sides.
        for bound in [HALF_LN2, THREE_HALVES_LN2, TINY] {
            for word in bound - 2..=bound + 2 {
                for low in [0, 1, 0x8000_0000, 0xffff_ffff] {
                    let x = f64::from_bits(word << 32 | low);
                    assert!(agrees([x, -x, 3.0 * x, -0.5 * x]), "{x}");
                }
            }
        }
        // Where the multiple of ln 2 changes.
        for k in -1010..=1010 {
            let edge = (f64::from(k) + 0.5) * std::f64::consts::LN_2;
            let x = [edge, edge.next_up(), edge.next_down(), f64::from(k) * std::f64::consts::LN_2];
            assert!(agrees(x), "{x:?}");
        }
        for odd in [0.0, -0.0, 1e-310, 700.0, 701.0, 710.0, -745.2, f64::INFINITY, f64::NAN] {
            assert!(agrees([odd, -odd, 1.0, -1.0]), "{odd}");
        }
        let mut x = -40.0;
        while x < 40.0 {
            assert!(agrees([x, x + 0.000_317, 17.0 * x, x * x * x / 100.0]), "{x}");
            x += 0.001_37;
        }
        quickcheck(
            (|a: f64, b: i32, c: u32, d: i16| {
                let (b, d) = (f64::from(b) / 3e6, f64::from(d) / 1e3);
                agrees([a, b, f64::from(c) * -1e-7, d])
            }) as fn(f64, i32, u32, i16) -> bool,
        );
    }

    #[test]
    fn a_row_of_any_length_is_its_numbers() {
        let numbers = [-800.0, -3.0, -1e-9, -0.0, 0.0, 0.7, 36.0, 900.0, 0.3];
        for length in 0..=numbers.len() {
            let (mut e, mut l) = (numbers[..length].to_vec(), numbers[..length].to_vec());
            exp_all(&mut e);
            logistic_all(&mut l);
            for (i, &z) in numbers[..length].iter().enumerate() {
                assert_eq!(e[i].to_bits(), libm::exp(z).to_bits(), "{z}");
                assert_eq!(l[i].to_bits(), crate::router::logistic(z).to_bits(), "{z}");
            }
        }
    }
}
