//! The server for a class: polls for a room full of students, and a board of their progress.
//!
//! The teacher opens a poll, the students answer, and the teacher closes the poll and, for everyone
//! to see, plays its scene or reveals the answer. Students who want their progress on the board let
//! their runners report it. The server uses hyper, runs on step 07's loop, and shares parts with
//! the cockpit's server.
//!
//! | file | contents |
//! | --- | --- |
//! | `polls.rs` | the questions and the judgement of answers |
//! | `names.rs` | students' names and the format of codes |
//! | `entrance.rs` | the code and the passes that let students in |
//! | `event.rs` | the events of a class |
//! | `state.rs` | the state after these events |
//! | `kept.rs` | the file that stores the events |
//! | `store.rs` | writes each event to the disk before the event happens |
//! | `texts.rs` | makes students' texts safe to show to others |
//! | `views.rs` | the students' and the teacher's views of the state |
//! | `streams.rs` | the students' and the teacher's streams of events |
//! | `limits.rs` | the limits on a student's requests |
//! | `room.rs` | the running class: carries out events and sends everyone the results |
//! | `playing.rs` | plays a scene on the teacher's machine |
//! | `files.rs` | the pages' files |
//! | `square.rs` | the students' address as a QR code |
//! | `server.rs` | the server, from binding its address to the end of the class |
//! | `requests.rs` | what each request does and who may send it |

#![forbid(unsafe_code)]

mod entrance;
mod event;
mod files;
mod kept;
mod limits;
mod names;
mod playing;
pub mod polls;
mod requests;
mod room;
mod server;
mod square;
mod state;
mod store;
mod streams;
mod texts;
mod views;

use std::net::SocketAddr;
use std::path::PathBuf;

use event::Report;

pub use files::File;
pub use polls::Poll;
pub use server::Bound;

/// The default port.
pub const PORT: u16 = 7008;

/// The settings for a class's server.
#[derive(Debug)]
pub struct ClassOptions {
    /// The workbook's root, where scenes are played.
    pub root: PathBuf,
    /// The address to listen on.
    pub address: SocketAddr,
    /// The names, without a port, by which browsers may reach the server in addition to its
    /// address.
    pub hosts: Vec<String>,
    /// The address at which browsers reach a forwarded port, such as
    /// `https://abc-7008.example.dev`.
    pub public_origin: Option<String>,
    /// The file that stores the class's events until the class ends.
    pub state: PathBuf,
    /// The directory to which the class's file is moved at the end. With `None`, the file is
    /// removed.
    pub keep: Option<PathBuf>,
    /// The files of the pages.
    pub files: Vec<File>,
    /// The class's questions and exercises.
    pub material: Material,
}

/// The book's material for a class.
#[derive(Debug, Default)]
pub struct Material {
    /// The plans, in order.
    pub sessions: Vec<Session>,
    /// All of the book's polls.
    pub polls: Vec<Poll>,
    /// All of the book's exercises, in order.
    pub exercises: Vec<Exercise>,
    /// The exercises that only earlier versions of the workbook had. A student's workbook or the
    /// class's file can be older and name them.
    pub gone: Vec<Gone>,
}

/// A plan for a lesson.
#[derive(Debug)]
pub struct Session {
    /// The name of the plan: `first`.
    pub name: String,
    /// The title, as the teacher sees it.
    pub title: String,
    /// The ids of the session's polls, in the order of the plan.
    pub polls: Vec<String>,
}

/// What the teacher's pages need to know about an exercise.
#[derive(Debug)]
pub struct Exercise {
    /// The exercise's number: `1.5`.
    pub number: String,
    /// The exercise's name: `read`.
    pub name: String,
    /// The exercise's step.
    pub package: String,
    /// The declared time for the exercise, in minutes.
    pub minutes: u8,
    /// The questions that help with the exercise.
    pub questions: Vec<Question>,
}

/// An exercise that only earlier versions of the workbook had.
#[derive(Debug)]
pub struct Gone {
    /// The number of the exercise.
    pub number: String,
    /// A sentence that says that the exercise is gone and which exercises have its idea now, if
    /// any: `7.2 run_once is gone; its idea is in 7.9 now`.
    pub told: String,
}

/// A question to ask a student who's stuck, instead of explaining.
#[derive(Debug)]
pub struct Question {
    /// Quotations from verdicts. The question is meant for each line of a verdict that contains one
    /// of them.
    pub sees: Vec<String>,
    /// The question, as HTML.
    pub asks: String,
}

impl Material {
    fn poll(&self, id: &str) -> Option<&Poll> {
        self.polls.iter().find(|poll| poll.id == id)
    }

    fn exercise(&self, number: &str) -> Option<&Exercise> {
        self.exercises.iter().find(|exercise| exercise.number == number)
    }

    /// Returns the sentence about the first exercise that a report names and that no longer exists.
    fn gone_in(&self, report: &Report) -> Option<&str> {
        let mut named = report.exercise.iter().chain(&report.green);
        let gone = named.find_map(|number| self.gone.iter().find(|it| it.number == *number));
        gone.map(|gone| gone.told.as_str())
    }
}

impl Exercise {
    /// Returns the question that's meant for a line of a verdict. If there's no such question but
    /// the exercise has only one, returns that one.
    fn question_for(&self, line: &str) -> Option<&str> {
        let is_meant = |it: &&Question| it.sees.iter().any(|words| line.contains(words.as_str()));
        let only = || self.questions.first().filter(|_| self.questions.len() == 1);
        let question = self.questions.iter().find(is_meant).or_else(only)?;
        Some(&question.asks)
    }
}
