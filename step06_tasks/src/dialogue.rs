//! A conversation that waits in the middle, written twice: as an `async fn`, and by hand as a state
//! machine like the one that the compiler generates.
//!
//! The server asks two questions, repeats the second one until the answer isn't empty, and then
//! greets the client. It can't wait for a line as a thread would, so between two lines it has to
//! return and remember where it was.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Future as Coroutine, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::{Error, Result};

/// The server's end of a connection that carries lines. A clone is a handle to the same end.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    shared: Rc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    said: RefCell<Vec<String>>,
    arrived: RefCell<VecDeque<String>>,
    is_closed: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Lines {
    /// Sends a line to the client.
    pub fn say(&self, line: &str) {
        self.shared.said.borrow_mut().push(line.to_owned());
    }

    /// Returns the client's next line, if it has arrived. Otherwise returns `Pending`, and the
    /// waker is called when a line arrives or the client leaves.
    ///
    /// # Errors
    ///
    /// Fails if the client is gone and no more lines are left.
    pub fn poll_line(&self, context: &mut Context<'_>) -> Poll<Result<String>> {
        let line = self.shared.arrived.borrow_mut().pop_front();
        match line {
            Some(line) => Poll::Ready(Ok(line)),
            None if self.shared.is_closed.get() => {
                Poll::Ready(Err(Error::other("the client is gone")))
            }
            None => {
                self.shared.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }

    /// Waits for the next line.
    ///
    /// # Errors
    ///
    /// Fails if the client is gone and no more lines are left.
    pub async fn line(&self) -> Result<String> {
        poll_fn(|context| self.poll_line(context)).await
    }

    /// Delivers a line from the client.
    pub fn arrive(&self, line: &str) {
        self.shared.arrived.borrow_mut().push_back(line.to_owned());
        self.wake();
    }

    /// Closes the client's end.
    pub fn close(&self) {
        self.shared.is_closed.set(true);
        self.wake();
    }

    /// Takes the lines that the server has said since the last call.
    pub fn take_said(&self) -> Vec<String> {
        self.shared.said.take()
    }

    fn wake(&self) {
        if let Some(waker) = self.shared.waker.take() {
            waker.wake();
        }
    }
}

// ANCHOR: dialogue
/// The conversation as an `async fn`, the way everybody would like to write it.
///
/// # Errors
///
/// Fails if the client leaves before it has answered both questions.
pub async fn dialogue(lines: Lines) -> Result<String> {
    lines.say("What's your name?");
    let name = lines.line().await?;
    let city = loop {
        lines.say("And where are you from?");
        let answer = lines.line().await?;
        if !answer.is_empty() {
            break answer;
        }
        lines.say(&format!("You must be from somewhere, {name}."));
    };
    lines.say(&format!("Hello {name} from {city}!"));
    Ok(name)
}
// ANCHOR_END: dialogue

// ANCHOR: machine
/// The same conversation as a state machine, whose fields are its memory between two polls.
#[derive(Debug)]
pub struct Dialogue {
    lines: Lines,
    state: State,
}

/// The point the conversation has reached. Each state holds the values that later states need.
#[derive(Debug)]
enum State {
    /// Nothing has been said.
    Start,
    /// The first question has been asked.
    WaitsForName,
    /// The second question has been asked, perhaps several times.
    WaitsForCity { name: String },
    /// The result has been returned.
    Ended,
}
// ANCHOR_END: machine

impl Dialogue {
    /// Makes the conversation. Like a call to the `async fn`, `new` runs none of the conversation's
    /// code.
    pub fn new(lines: Lines) -> Self {
        Dialogue { lines, state: State::Start }
    }
}

impl Coroutine for Dialogue {
    type Output = Result<String>;

    // ANCHOR: poll
    /// Continues the conversation where the last poll stopped and says the same
    /// lines as `dialogue`.
    ///
    /// The conversation gets as far as the lines that have arrived allow; if the next
    /// line is missing, `poll` returns `Pending`. The conversation ends with the
    /// client's name, or with the error of `poll_line`. The random conversations of
    /// `conversations_in_any_order` try these cases:
    /// - The conversation is polled again before a line has arrived: it repeats nothing
    ///   that it has said.
    /// - All lines have arrived before the first poll: one poll says everything.
    /// - The client is from nowhere, perhaps several times in a row: an empty answer to
    ///   the second question gets a reply, and the question is repeated. The name can
    ///   be empty. An answer of blanks isn't empty, and the blanks around an answer
    ///   belong to it.
    /// - The client is gone, perhaps while a question is repeated.
    /// - The conversation is polled after its end: that's the caller's mistake, and
    ///   `poll` panics, as an `async fn` does.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<String>> {
        loop {
            let state = std::mem::replace(&mut self.state, State::Ended);
            match state {
                State::Start => {
                    self.lines.say("What's your name?");
                    self.state = State::WaitsForName;
                }
                State::WaitsForName => {
                    let Poll::Ready(name) = self.lines.poll_line(context) else {
                        self.state = State::WaitsForName;
                        return Poll::Pending;
                    };
                    let name = name?;
                    self.lines.say("And where are you from?");
                    self.state = State::WaitsForCity { name };
                }
                State::WaitsForCity { name } => {
                    let Poll::Ready(city) = self.lines.poll_line(context) else {
                        self.state = State::WaitsForCity { name };
                        return Poll::Pending;
                    };
                    let city = city?;
                    if !city.is_empty() {
                        self.lines.say(&format!("Hello {name} from {city}!"));
                        return Poll::Ready(Ok(name));
                    }
                    self.lines.say(&format!("You must be from somewhere, {name}."));
                    self.lines.say("And where are you from?");
                    self.state = State::WaitsForCity { name };
                }
                State::Ended => panic!("the conversation was polled after its end"),
            }
        }
    }
    // ANCHOR_END: poll
}
