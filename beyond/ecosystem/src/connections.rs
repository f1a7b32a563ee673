//! A listener as a `Stream`, for use with the combinators of `futures-util`.

use asyncio::{Result, TcpListener, TcpStream};
use futures_core::Stream;
use futures_util::stream::unfold;

/// Returns a stream of a listener's connections. Like [`TcpListener::accept`], the stream continues
/// after an error that concerns only one connection. A lasting error, or the cancellation of the
/// task, is the stream's last item.
pub fn connections(listener: TcpListener) -> impl Stream<Item = Result<TcpStream>> {
    unfold(Some(listener), async |listener| {
        let listener = listener?;
        match listener.accept().await {
            Ok((stream, _)) => Some((Ok(stream), Some(listener))),
            Err(error) => Some((Err(error), None)),
        }
    })
}
