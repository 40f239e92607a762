//! Which instruction set the kernels run on.

use pulp::{Arch, WithSimd};

/// An instruction set, detected once and passed to every kernel.
#[derive(Clone, Copy, Debug)]
pub struct Cpu(Arch);

impl Cpu {
    /// The best this machine has: AVX2 where it exists.
    #[must_use]
    pub fn detect() -> Self {
        Cpu(Arch::new())
    }

    /// What every x86-64 has. Same bits, slower.
    #[must_use]
    pub fn portable() -> Self {
        Cpu(Arch::Scalar)
    }

    /// Whether this is the portable path.
    #[must_use]
    pub fn is_portable(self) -> bool {
        matches!(self.0, Arch::Scalar)
    }

    /// Runs the copy of `kernel` that was compiled for this instruction set.
    #[inline(always)]
    pub(crate) fn run<K: WithSimd>(self, kernel: K) -> K::Output {
        self.0.dispatch(kernel)
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::detect()
    }
}
