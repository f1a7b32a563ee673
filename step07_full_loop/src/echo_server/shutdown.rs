//! Graceful shutdown: SIGTERM cancels the server's task, as `run` does on SIGINT.

use std::future::Future as Coroutine;

use step05_selfpipe::SIGTERM;
use step06_tasks::{Error, Result};

use crate::{create_task, get_running_loop};

/// Runs `server` as a task until SIGTERM arrives. The tasks of its clients are cancelled by `run`.
pub(crate) async fn until_sigterm(
    server: impl Coroutine<Output = Result<()>> + 'static,
) -> Result<()> {
    let server = create_task(server)?;
    let stopped = server.clone();
    get_running_loop()?.add_signal_handler(SIGTERM, move || {
        stopped.cancel();
    })?;
    match server.await {
        Err(Error::Cancelled(_)) => Ok(()),
        outcome => outcome,
    }
}
