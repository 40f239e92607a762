//! Where random numbers come from. A seed follows from `(master seed, name, run, purpose)`, never from
//! a clock, a thread or the order of work; [`derive`] is the one formula for it.
//!
//! What one seed is used for is split once more: a stream draws its inputs, labels, noise and experts
//! from generators of their own ([`Draws`]), so that two settings with the same seed meet the same
//! inputs whatever else differs.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use rand_pcg::Pcg64;
use sha2::{Digest, Sha256};

/// What a seed is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Purpose {
    /// The rounds of a stream.
    Stream,
    /// The actions drawn from what a policy answers.
    Actions,
    /// What a policy draws itself.
    Policy,
    /// What the check of a claim draws.
    Check,
    /// A run that the check of a claim plays.
    CheckRun,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Purpose::Stream => "stream",
            Purpose::Actions => "actions",
            Purpose::Policy => "policy",
            Purpose::Check => "check",
            Purpose::CheckRun => "check run",
        }
    }
}

/// The seed of run `run` of what is called `name`: an experiment, a claim.
///
/// # Formula
/// The first eight bytes, little endian, of
/// `SHA-256("deferlab seed\n<master>\n<name>\n<run>\n<purpose>\n")`. For an experiment neither the
/// stream nor the policy enters: all of them meet the same draws, and their differences are paired.
#[must_use]
pub fn derive(master: u64, name: &str, run: u64, purpose: Purpose) -> u64 {
    let text = format!("deferlab seed\n{master}\n{name}\n{run}\n{}\n", purpose.name());
    let digest = Sha256::digest(text.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// What the numbers drawn from one seed are used for; each has a generator of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Draws {
    /// Inputs, or the order in which recorded ones come.
    Inputs,
    /// Labels.
    Labels,
    /// Whether experts answer right.
    Answers,
    /// The walk of the label noise.
    Noise,
    /// Who is available.
    Availability,
    /// The drift of expertise.
    Expertise,
    /// The answers people gave for image `i`, dealt to experts.
    Groups(usize),
    /// The noise on the pixels of image `i`.
    Pixels(usize),
    /// The order of training images, their mirroring and shifts.
    Training,
}

impl Draws {
    /// Fixed for good: changing a number changes every stored run that draws with it. Purposes that
    /// share a number never share a seed.
    const fn number(self) -> u128 {
        match self {
            Draws::Inputs | Draws::Training => 1,
            Draws::Labels => 2,
            Draws::Answers => 3,
            Draws::Noise => 4,
            Draws::Availability => 5,
            Draws::Expertise => 6,
            Draws::Groups(i) => 1 + i as u128,
            Draws::Pixels(i) => i as u128,
        }
    }

    /// The generator of these draws under `seed`, before its first number.
    #[must_use]
    pub fn generator(self, seed: u64) -> Pcg64 {
        Pcg64::new(u128::from(seed), self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula by `printf 'deferlab seed\n7\ndemo\n0\nstream\n' | sha256sum`.
    #[test]
    fn seeds_are_what_the_formula_says() {
        let expected = derive(7, "demo", 0, Purpose::Stream);
        assert_eq!(expected.to_le_bytes(), [0xdb, 0x46, 0xa1, 0x1e, 0xb1, 0x29, 0x83, 0xa8]);
        let others = [
            derive(8, "demo", 0, Purpose::Stream),
            derive(7, "demp", 0, Purpose::Stream),
            derive(7, "demo", 1, Purpose::Stream),
            derive(7, "demo", 0, Purpose::Actions),
            derive(7, "demo", 0, Purpose::Policy),
            derive(7, "demo", 0, Purpose::Check),
            derive(7, "demo", 0, Purpose::CheckRun),
        ];
        assert!(others.iter().all(|&s| s != expected));
    }

    /// Draws of one stream never share a generator.
    #[test]
    fn draws_of_a_stream_are_apart() {
        let of_a_stream = [
            Draws::Inputs,
            Draws::Labels,
            Draws::Answers,
            Draws::Noise,
            Draws::Availability,
            Draws::Expertise,
        ];
        for (i, a) in of_a_stream.iter().enumerate() {
            for b in &of_a_stream[..i] {
                assert_ne!(a.generator(1), b.generator(1), "{a:?} {b:?}");
            }
        }
        assert_eq!(Draws::Labels.generator(7), Pcg64::new(7, 2));
    }
}
