//! A listener as a `Stream`, for the combinators of `futures-util`.

use asyncio::{Result, TcpListener, TcpStream};
use futures_core::Stream;
use futures_util::stream::unfold;

/// Returns the connections of a listener, one after another. The stream continues after an error
/// that concerns one connection, as [`TcpListener::accept`] does. A lasting error, or the task's
/// cancellation, is its last item.
pub fn connections(listener: TcpListener) -> impl Stream<Item = Result<TcpStream>> {
    unfold(Some(listener), async |listener| {
        let listener = listener?;
        match listener.accept().await {
            Ok((stream, _)) => Some((Ok(stream), Some(listener))),
            Err(error) => Some((Err(error), None)),
        }
    })
}
