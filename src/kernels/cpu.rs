//! Which instruction set the kernels run on.

use pulp::Arch;

/// An instruction set, detected once and passed to every kernel.
#[derive(Clone, Copy, Debug)]
pub struct Cpu(Arch);

impl Cpu {
    /// The best this machine has: AVX2 where it exists.
    pub fn detect() -> Self {
        Cpu(Arch::new())
    }

    /// What every x86-64 has. Same bits, slower.
    pub fn portable() -> Self {
        Cpu(Arch::Scalar)
    }

    /// Whether this is the portable path.
    pub fn is_portable(self) -> bool {
        matches!(self.0, Arch::Scalar)
    }

    /// Compiles `kernel` once per instruction set and runs the copy for this one. What `kernel`
    /// calls must be `#[inline(always)]` to be part of that copy.
    #[inline(always)]
    pub(super) fn run<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.dispatch(kernel)
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu::detect()
    }
}
