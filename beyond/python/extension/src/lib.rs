//! Python's asyncio on the workbook's layers.
//!
//! This module has two main classes. The other half of each class is in
//! `beyond/python/package/workbook`:
//!
//! - `Selector`: step 03's selector, for CPython's own loop;
//! - `Core`: step 07's loop, for CPython's own transports, streams and servers.
//!
//! | file | contents |
//! | --- | --- |
//! | `selector.rs` | the selector, with Python's keys |
//! | `watchdog.rs` | reports a layer that hangs, if the reader wrote the layers |
//! | `errors.rs` | turns errors into Python's exceptions |
//! | `event_loop.rs` | the loop, with asyncio's methods |
//! | `shared.rs` | the callbacks that the loop holds, and the code that runs them |
//! | `handle.rs`, `slots.rs` | asyncio's handles, and the list of waiting handles |
//! | `clock.rs` | the loop's sleep |
//! | `gil.rs` | promises that the compiler can't check; the only file with `unsafe` |

mod errors;
mod gil;
#[cfg(feature = "selector")]
mod selector;
mod watchdog;

#[cfg(feature = "loop")]
mod clock;
#[cfg(feature = "loop")]
mod event_loop;
#[cfg(feature = "loop")]
mod handle;
#[cfg(feature = "loop")]
mod shared;
#[cfg(feature = "loop")]
mod slots;

use pyo3::prelude::*;

#[pymodule(name = "_loop", gil_used = true)]
fn define(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("LayerPanic", module.py().get_type::<errors::LayerPanic>())?;
    module.add_function(wrap_pyfunction!(watchdog::watch, module)?)?;
    module.add_function(wrap_pyfunction!(watchdog::stop_watching, module)?)?;
    #[cfg(feature = "selector")]
    module.add_class::<selector::SelectorOfStep03>()?;
    #[cfg(feature = "loop")]
    {
        module.add_class::<event_loop::Core>()?;
        module.add_class::<handle::Handle>()?;
        module.add_class::<handle::TimerHandle>()?;
        module.add_function(wrap_pyfunction!(event_loop::forget_running_loop, module)?)?;
    }
    Ok(())
}
