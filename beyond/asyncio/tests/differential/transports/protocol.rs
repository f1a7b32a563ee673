//! The protocol of one side: notes each call and reacts as the program says.

use std::cell::{Cell, RefCell};
use std::io;
use std::panic::resume_unwind;
use std::rc::Rc;

use asyncio::{Error, Protocol, Result, Transport};
use step01_fd::errno;

use super::player::{Stage, pattern};
use super::program::{Action, METHODS, Verb};

pub(crate) struct Side {
    number: usize,
    stage: Rc<Stage>,
    received: Cell<usize>,
    /// The number of calls to each method.
    calls: RefCell<[usize; METHODS.len()]>,
}

impl Side {
    pub(crate) fn new(number: usize, stage: Rc<Stage>) -> Self {
        Side { number, stage, received: Cell::default(), calls: RefCell::default() }
    }

    /// Notes the call and reacts. Returns true if the connection is to be kept.
    fn called(&self, method: &str, arguments: &str) -> Result<bool> {
        let at = METHODS.iter().position(|known| *known == method).unwrap();
        let call = self.calls.borrow()[at];
        self.calls.borrow_mut()[at] += 1;
        self.stage.say(&format!("{}.{method} {arguments}", self.number));
        let reactions = self.stage.program.reactions.iter();
        let actions: Vec<Action> = reactions
            .filter(|it| it.side == self.number && it.method == method && it.call == call)
            .flat_map(|reaction| reaction.actions.clone())
            .collect();
        for action in actions {
            match action.verb {
                Verb::Fail if action.number == 0 => return Err(Error::other("as it should")),
                Verb::Fail => resume_unwind(Box::new("as it should")),
                Verb::FailIo => return Err(io::Error::from_raw_os_error(libc::EIO).into()),
                Verb::Keep => return Ok(true),
                _ if self.stage.may_react(method, action) => self.stage.act(action),
                _ => {}
            }
        }
        Ok(false)
    }
}

impl Protocol for Side {
    fn connection_made(&self, _: &Transport) -> Result<()> {
        self.called("connection_made", "").map(drop)
    }

    fn data_received(&self, _: &Transport, data: &[u8]) -> Result<()> {
        let offset = self.received.get();
        self.received.set(offset + data.len());
        let in_order = data == pattern(offset, data.len());
        self.called("data_received", &format!("{} {in_order}", data.len())).map(drop)
    }

    fn eof_received(&self, _: &Transport) -> Result<bool> {
        self.called("eof_received", "")
    }

    fn connection_lost(&self, error: Option<&Error>) -> Result<()> {
        self.stage.lost[self.number].set(true);
        let error = match error {
            None => "None".to_owned(),
            Some(Error::Io(error)) => errno(error).unwrap().to_string(),
            Some(error) => error.to_string().trim_start_matches("panicked: ").to_owned(),
        };
        self.called("connection_lost", &error).map(drop)
    }

    fn pause_writing(&self, _: &Transport) -> Result<()> {
        self.called("pause_writing", "").map(drop)
    }

    fn resume_writing(&self, _: &Transport) -> Result<()> {
        self.called("resume_writing", "").map(drop)
    }
}
