//! Tests that values dropped halfway leave no descriptors behind. This is the only test in its
//! process, because it counts all open descriptors.

use std::time::Duration;

use asyncio::{Result, TcpListener, TcpStream, create_task, run, sleep};
use axum::Router;
use axum::routing::get;
use ecosystem::{Io, LoopTimer, Serve, Tower};
use futures_util::AsyncWriteExt;
use step01_fd::open_descriptors;

const MOMENT: Duration = Duration::from_millis(2);

#[test]
fn clients_that_leave_at_any_moment_leave_no_descriptor() {
    let before = open_descriptors().unwrap().len();
    let served: Result<()> = run(async move {
        let pages = Router::new().route("/slow", get(async || LoopTimer.sleep(100 * MOMENT).await));
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let server = create_task(Serve::default().run(listener, Tower(pages)))?;
        let request = b"GET /slow HTTP/1.1\r\nhost: here\r\n\r\n";
        sleep(MOMENT).await?;
        let with_server = open_descriptors()?.len();
        for length in 0..=request.len() {
            let mut client = Io::from(TcpStream::connect(address).await?);
            client.write_all(&request[..length]).await?;
            sleep(MOMENT).await?;
        }
        // When a client leaves, hyper notices at once and drops the client's handler.
        sleep(20 * MOMENT).await?;
        assert_eq!(open_descriptors()?.len(), with_server);
        server.cancel();
        assert!(server.await.unwrap_err().is_cancelled());
        Ok(())
    })
    .map_err(Into::into);
    served.unwrap();
    assert_eq!(open_descriptors().unwrap().len(), before);
}
