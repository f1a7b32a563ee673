//! Servers that a program writes itself: a task that accepts, and a task for each client.

use std::cell::RefCell;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use asyncio::{
    EventLoopExt as _, Result, Stream, Task, TcpListener, TcpStream, UnixListener, UnixStream,
    create_task, get_running_loop, sleep,
};
use rustix::net::Shutdown as Directions;

use super::{MUCH, REQUEST, note};

/// A server, which lasts until it's closed.
pub(super) struct ByHand {
    accepting: Task<()>,
    clients: Rc<RefCell<Vec<Task<()>>>>,
}

impl ByHand {
    pub(super) fn tcp(listener: TcpListener) -> Result<Self> {
        let accept = async move || Ok(listener.accept().await?.0);
        ByHand::start(accept, |client| answer(client, TcpStream::shutdown))
    }

    pub(super) fn unix(listener: UnixListener) -> Result<Self> {
        let accept = async move || Ok(listener.accept().await?.0);
        ByHand::start(accept, |client| answer(client, UnixStream::shutdown))
    }

    pub(super) fn sock(listener: OwnedFd) -> Result<Self> {
        let accept = async move || Ok(get_running_loop()?.sock_accept(&listener).await?.0);
        ByHand::start(accept, answer_with_sock)
    }

    fn start<C: 'static, A: Future<Output = Result<()>> + 'static>(
        accept: impl AsyncFn() -> Result<C> + 'static,
        answer: impl Fn(C) -> A + 'static,
    ) -> Result<Self> {
        let clients = Rc::<RefCell<Vec<Task<()>>>>::default();
        let answering = Rc::clone(&clients);
        let accepting = create_task(async move {
            loop {
                match accept().await {
                    Ok(client) => {
                        let answer = answer(client);
                        let answered = async move {
                            answer.await.unwrap_or_else(note);
                            Ok(())
                        };
                        answering.borrow_mut().push(create_task(answered)?);
                    }
                    Err(error) if error.is_cancelled() => return Err(error),
                    Err(error) => {
                        note(error);
                        sleep(Duration::from_secs(1)).await?;
                    }
                }
            }
        })?;
        Ok(ByHand { accepting, clients })
    }

    /// Accepts no more clients and waits for the end of all clients.
    pub(super) async fn close(self) -> Result<()> {
        self.accepting.cancel();
        // The task was cancelled, as it should be.
        let _ = self.accepting.await;
        for client in self.clients.take() {
            client.await?;
        }
        Ok(())
    }
}

/// Answers a line with the line and much more, shuts down its sending side, and waits for the
/// client's end.
async fn answer<S: AsFd>(
    client: Stream<S>,
    shutdown: impl Fn(&Stream<S>, Shutdown) -> Result<()>,
) -> Result<()> {
    let mut line = [0; REQUEST.len()];
    let count = client.read(&mut line).await?;
    client.write_all(&line[..count]).await?;
    client.write_all(&vec![b'!'; MUCH]).await?;
    shutdown(&client, Shutdown::Write)?;
    while client.read(&mut line).await? > 0 {}
    Ok(())
}

/// Does the same as `answer` with calls that leave the socket to the program.
async fn answer_with_sock(client: OwnedFd) -> Result<()> {
    let event_loop = get_running_loop()?;
    let line = event_loop.sock_recv(&client, REQUEST.len()).await?;
    event_loop.sock_sendall(&client, &line).await?;
    event_loop.sock_sendall(&client, &vec![b'!'; MUCH]).await?;
    rustix::net::shutdown(&client, Directions::Write).map_err(std::io::Error::from)?;
    while !event_loop.sock_recv(&client, REQUEST.len()).await?.is_empty() {}
    Ok(())
}
