//! The entrance to a class: the code that lets students in and the passes with which a student can
//! join from a second device.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cockpit::web::Refusal;
use hyper::StatusCode;

use crate::limits::{Bucket, WRONG_CODES};
use crate::names::{is_code, new_code};

/// The time for which a pass is valid.
const PASS: Duration = Duration::from_mins(15);

/// The number of wrong codes that may come in a burst, and the interval after which each further
/// wrong code may follow. The answer to a wrong code that comes too soon asks the student to wait.
const GUESSES: (u32, Duration) = (60, Duration::from_secs(1));

pub(crate) const NO_RANDOM_BYTES: Refusal =
    Refusal(StatusCode::SERVICE_UNAVAILABLE, "the kernel can't provide random bytes");

#[derive(Debug)]
pub(crate) struct Entrance {
    next_student: Cell<u32>,
    wrong_codes: Cell<u32>,
    guesses: Bucket,
    /// The pass of each student who has requested a pass, with the time at which the pass was
    /// created.
    passes: RefCell<BTreeMap<u32, (String, Instant)>>,
}

impl Entrance {
    pub(crate) fn new(next_student: u32) -> Self {
        let (holds, interval) = GUESSES;
        Entrance {
            next_student: Cell::new(next_student),
            wrong_codes: Cell::new(0),
            guesses: Bucket::new(holds, interval),
            passes: RefCell::default(),
        }
    }

    /// Returns the number for the next student.
    pub(crate) fn next_student(&self) -> u32 {
        self.next_student.replace(self.next_student.get() + 1)
    }

    /// Fails unless the typed text is the code. After [`WRONG_CODES`] wrong codes, fails even for
    /// the right code.
    pub(crate) fn check(&self, typed: &str, code: &str) -> Result<(), Refusal> {
        if self.wrong_codes.get() >= WRONG_CODES {
            let why = "too many wrong codes: nobody can join with the code until the teacher \
                       restarts the class's server";
            return Err(Refusal(StatusCode::TOO_MANY_REQUESTS, why));
        }
        if is_code(typed, code) {
            return Ok(());
        }
        self.wrong_codes.set(self.wrong_codes.get() + 1);
        Err(if self.guesses.take() {
            Refusal(StatusCode::FORBIDDEN, "that isn't the class's code")
        } else {
            let why = "that isn't the class's code, and there were too many wrong codes: wait a \
                       moment";
            Refusal(StatusCode::TOO_MANY_REQUESTS, why)
        })
    }

    /// Creates a pass, which lets a student join from a different device or from the terminal.
    pub(crate) fn pass(&self, student: u32) -> Result<String, Refusal> {
        let pass = new_code(3).map_err(|_| NO_RANDOM_BYTES)?;
        self.passes.borrow_mut().insert(student, (pass.clone(), Instant::now()));
        Ok(pass)
    }

    /// Returns the student to whom a pass belongs.
    pub(crate) fn owner(&self, typed: &str) -> Option<u32> {
        let mut passes = self.passes.borrow_mut();
        passes.retain(|_, (_, made)| made.elapsed() < PASS);
        let found = passes.iter().find(|(_, (pass, _))| is_code(typed, pass));
        found.map(|(student, _)| *student)
    }

    /// Forgets a student's pass after the student has used it or left the class.
    pub(crate) fn forget(&self, student: u32) {
        self.passes.borrow_mut().remove(&student);
    }
}
