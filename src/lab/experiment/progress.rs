//! How far a run is: whoever starts one is told, and shows it as it likes.

/// Told about jobs that are pending now; what was stored before does not count.
pub trait Progress: Sync {
    /// `jobs` pending jobs with `work` rounds in all; `stored` were there already.
    fn start(&self, name: &str, jobs: usize, work: u64, stored: usize);
    /// A job of `work` rounds ended.
    fn done(&self, work: u64);
    /// Something to be said.
    fn say(&self, message: &str);
    /// Nothing is pending any more.
    fn end(&self);
}

/// Nobody is told.
impl Progress for () {
    fn start(&self, _: &str, _: usize, _: u64, _: usize) {}
    fn done(&self, _: u64) {}
    fn say(&self, _: &str) {}
    fn end(&self) {}
}
