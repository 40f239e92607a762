//! Which instruction set the kernels run on.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
use pulp::{Scalar256b, Simd, WithSimd};

/// An instruction set, detected once and passed to every kernel. On each of them a vector of numbers is
/// four lanes, which is what the kernels are written for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpu {
    #[cfg(target_arch = "x86_64")]
    avx2: Option<V3>,
}

impl Cpu {
    /// The best this machine has: AVX2 where it exists.
    #[must_use]
    pub(crate) fn detect() -> Self {
        Cpu {
            #[cfg(target_arch = "x86_64")]
            avx2: V3::try_new(),
        }
    }

    /// What every x86-64 has. Same bits, slower.
    #[must_use]
    pub(crate) fn portable() -> Self {
        Cpu {
            #[cfg(target_arch = "x86_64")]
            avx2: None,
        }
    }

    /// Runs the copy of `kernel` that was compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.avx2 {
            return Simd::vectorize(avx2, kernel);
        }
        portable(kernel)
    }
}

/// Apart from its callers, which are small without it and can be part of theirs.
#[inline(never)]
fn portable<K: WithSimd>(kernel: K) -> K::Output {
    kernel.with_simd(Scalar256b)
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::detect()
    }
}
