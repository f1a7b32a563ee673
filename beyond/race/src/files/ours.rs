//! Our server, on step 07's loop.
//!
//! Possible unfairness, against ours: it resolves each path in a way that can't leave the
//! directory, it checks conditions and ranges, and it checks that the bytes it's about to read or
//! send are in memory. hyper's server reads straight away and would block on a disk, and so would
//! nginx.

use std::net::Ipv4Addr;
use std::sync::mpsc::Sender;

use anyhow::Result;
use asyncio::{create_task, get_running_loop, run};
use serve_files::FileServer;

use crate::files::directory;
use crate::serving::Started;

pub(crate) fn serve(started: Sender<Started>) -> Result<()> {
    let server = FileServer::bind(&directory(), (Ipv4Addr::LOCALHOST, 0))?;
    let address = server.local_addr()?;
    run(async move {
        let (stopped, completer) = get_running_loop()?.create_remote_future::<()>();
        let serving = create_task(server.serve())?;
        let stop = move || {
            // This fails if the loop is closed, and then there's nothing left to stop.
            let _ = completer.complete(Ok(()));
        };
        // If the receiver is gone, the server isn't needed: `stop` is dropped, which ends the wait
        // below.
        let _ = started.send(Started::new(address, stop));
        stopped.await?;
        serving.cancel();
        Ok(())
    })?;
    Ok(())
}
