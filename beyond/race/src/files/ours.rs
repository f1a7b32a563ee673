//! Our server, on step 07's loop.
//!
//! What might be unfair, against ours: it looks up each path so that nothing outside the directory
//! can be opened, it checks conditions and ranges, and it checks that the bytes to read or send are
//! in memory. hyper's server reads at once and would block on a disk, and so would nginx.

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
            // This fails if the loop is closed, and then there's nothing to stop.
            let _ = completer.complete(Ok(()));
        };
        // If nobody receives this, nobody needs the server, and the drop of `stop` ends
        // it.
        let _ = started.send(Started::new(address, stop));
        stopped.await?;
        serving.cancel();
        Ok(())
    })?;
    Ok(())
}
