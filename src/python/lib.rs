//! deferlab as a Python module: `deferlab._deferlab`, with the Python sources in `python/deferlab`.
//!
//! Everything here converts and forwards. Numbers go through numpy arrays, records (ledger, runs, theory)
//! as JSON text, so that Python reads the very bytes that the command prints.
//!
//! | what | where |
//! |---|---|
//! | the command | [`command`] |
//! | a learner with names | [`router`], on an [`engine`], with [`names`], inputs from [`features`], a [`decision`] and its [`outcome`] |
//! | a whole stream without the interpreter | [`simulate`], on rounds in arrays ([`stream`]) or of an [`experiment`] |
//! | exact quantities | [`theory`] |
//! | claims and their checks | [`claims`] |
//! | a Python object under the checks of Algorithm 1 | [`subject`] |

mod claims;
mod command;
mod decision;
mod engine;
mod errors;
mod experiment;
mod features;
mod names;
mod outcome;
mod router;
mod simulate;
mod stream;
mod subject;
mod theory;

use pyo3::prelude::*;

#[pymodule]
mod _deferlab {
    #[pymodule_export]
    use crate::claims::{check, recorded_ledger};
    #[pymodule_export]
    use crate::command::command;
    #[pymodule_export]
    use crate::decision::Decision;
    #[pymodule_export]
    use crate::experiment::Experiment;
    #[pymodule_export]
    use crate::router::Router;
    #[pymodule_export]
    use crate::simulate::{simulate_experiment, simulate_rounds};
    #[pymodule_export]
    use crate::stream::Rounds;
    #[pymodule_export]
    use crate::subject::examine;
    #[pymodule_export]
    use crate::theory::{
        calibration_bound, calibration_gap, calibration_witness, evaluate, min_gap,
    };

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
