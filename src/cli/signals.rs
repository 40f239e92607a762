//! Signals that ask a run to stop.

use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag that SIGINT, SIGTERM or SIGUSR1 sets: jobs save where they are, and the program ends. The
/// second one does what it always does.
pub(super) fn stop() -> &'static AtomicBool {
    static ASKED: AtomicBool = AtomicBool::new(false);
    static LISTENING: OnceLock<()> = OnceLock::new();
    LISTENING.get_or_init(|| {
        // Without it a signal ends the program at once, and what was finished is still safe.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGUSR1]) else { return };
        std::thread::spawn(move || {
            for signal in &mut signals {
                if ASKED.swap(true, Ordering::Relaxed) {
                    let _ = emulate_default_handler(signal);
                }
            }
        });
    });
    &ASKED
}
