//! Two ways to use the loop in a future that has to be `Send`, such as one of axum's handlers.
//!
//! No handler ever goes to another thread: the loop has one thread, and every handler runs on it.
//! But axum was made for runtimes with many threads, so it rejects a handler that isn't `Send`,
//! such as one that holds an `Rc`.

use async_channel::{Sender, unbounded};
use asyncio::{Result, create_task};
use send_wrapper::SendWrapper;

use crate::cancellable;

/// Wraps one of the loop's futures in a future that's `Send`. Polling the wrapper on another thread
/// panics, and so does dropping it there, unless the future contains nothing to drop.
///
/// ```
/// use std::time::Duration;
/// use asyncio::{run, sleep};
/// use ecosystem::on_this_thread;
///
/// fn expects_send<F: Future + Send>(future: F) -> F {
///     future
/// }
///
/// run(expects_send_here())?;
/// # fn expects_send_here() -> impl Future<Output = asyncio::Result<()>> { async {
/// expects_send(on_this_thread(sleep(Duration::from_millis(1)))).await
/// # } }
/// # Ok::<(), asyncio::LoopError>(())
/// ```
///
/// Without the wrapper, the same code doesn't compile:
///
/// ```compile_fail,E0277
/// fn expects_send<F: Future + Send>(future: F) -> F {
///     future
/// }
/// let _ = expects_send(asyncio::sleep(std::time::Duration::from_millis(1)));
/// ```
pub fn on_this_thread<F: Future>(future: F) -> impl Future<Output = F::Output> + Send + Sync {
    SendWrapper::new(future)
}

/// A handle to a task on the loop that runs errands for futures that have to be `Send`. A future
/// can ask from any thread: its question goes to the task through a channel, and the answer comes
/// back through another channel. Only the question and the answer have to be `Send`, not the values
/// needed to find the answer.
///
/// Each errand runs in a separate task. Once the question has been sent, the errand is carried out
/// even if the future that asked is dropped. The task ends when the last handle has been dropped
/// and all questions have been received.
#[derive(Debug)]
pub struct Errands<Q, A> {
    questions: Sender<(Q, Sender<A>)>,
}

impl<Q: 'static, A: 'static> Errands<Q, A> {
    /// Starts the task on the loop that's running on this thread. Fails if no loop is running.
    pub fn start<F>(answer: impl Fn(Q) -> F + 'static) -> Result<Self>
    where
        F: Future<Output = Result<A>> + 'static,
    {
        let (questions, asked) = unbounded::<(Q, Sender<A>)>();
        create_task(async move {
            while let Ok((question, reply)) = cancellable(asked.recv()).await? {
                let answer = answer(question);
                create_task(async move {
                    // This fails if the future that asked is gone.
                    let _ = reply.try_send(answer.await?);
                    Ok(())
                })?;
            }
            Ok(())
        })?;
        Ok(Errands { questions })
    }

    /// Asks a question and waits for the answer. Returns `None` if there won't be an answer: the
    /// errand has failed or was cancelled, or the loop has ended.
    pub async fn ask(&self, question: Q) -> Option<A> {
        let (reply, answer) = unbounded();
        self.questions.send((question, reply)).await.ok()?;
        answer.recv().await.ok()
    }
}

impl<Q, A> Clone for Errands<Q, A> {
    fn clone(&self) -> Self {
        Errands { questions: self.questions.clone() }
    }
}
