//! The class: serves predictions as polls, and a board of progress, to a room full of students.
//!
//! The teacher opens a poll, the students predict, the teacher closes it, and plays the scene on
//! their own machine for everyone to see. Who wants to be on the board has their runner report
//! where they are. The server is hyper's, on the loop of step 07, and shares the cockpit's pieces.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `polls.rs` | what can be asked, and whether an answer is right |
//! | `names.rs` | what a student is called, and what a code looks like |
//! | `entrance.rs` | who is let in |
//! | `event.rs` | what can happen to the class |
//! | `state.rs` | what's known of it |
//! | `kept.rs` | the file that has each event |
//! | `store.rs` | what has it written there before it happens |
//! | `texts.rs` | what students write, as others see it |
//! | `views.rs` | what students and the teacher see of it |
//! | `streams.rs` | their streams of events |
//! | `limits.rs` | what one student can ask of the server |
//! | `room.rs` | all of it together: events happen, and are told |
//! | `playing.rs` | a scene on the teacher's machine |
//! | `files.rs` | the pages' files |
//! | `square.rs` | the students' address, for a camera |
//! | `server.rs` | what each address does, and who may ask for it |

#![forbid(unsafe_code)]

mod entrance;
mod event;
mod files;
mod kept;
mod limits;
mod names;
mod playing;
pub mod polls;
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

pub use files::{File, kind_of};
pub use polls::Poll;
pub use server::Bound;

/// The port, unless another one is asked for.
pub const PORT: u16 = 7008;

/// What a class is served with and to whom.
#[derive(Debug)]
pub struct ClassOptions {
    /// The workbook's root, where scenes are played.
    pub root: PathBuf,
    /// Where to listen.
    pub address: SocketAddr,
    /// The names by which browsers may reach it besides its address, without the port.
    pub hosts: Vec<String>,
    /// The address at which browsers find a forwarded port, such as `https://abc-7008.example.dev`.
    pub public_origin: Option<String>,
    /// The file in which the class is kept until its end.
    pub state: PathBuf,
    /// The directory in which that file is left at the end. Otherwise it's removed.
    pub keep: Option<PathBuf>,
    /// What the pages consist of.
    pub files: Vec<File>,
    /// What can be asked.
    pub material: Material,
}

/// What the book has for a class.
#[derive(Debug, Default)]
pub struct Material {
    /// The plans, in their order.
    pub sessions: Vec<Session>,
    /// All polls.
    pub polls: Vec<Poll>,
    /// All exercises, in their order.
    pub exercises: Vec<Exercise>,
    /// Those that earlier workbooks had: a student's can be older, or the class's file.
    pub gone: Vec<Gone>,
}

/// A plan for a lesson.
#[derive(Debug)]
pub struct Session {
    /// How the plan is called: `first`.
    pub name: String,
    /// What a teacher reads.
    pub title: String,
    /// The ids of its polls, in the order of the plan.
    pub polls: Vec<String>,
}

/// An exercise, as far as the board needs it.
#[derive(Debug)]
pub struct Exercise {
    /// Its number: `1.5`.
    pub number: String,
    /// Its name: `read`.
    pub name: String,
    /// Its step.
    pub package: String,
    /// How long it takes, as it declares.
    pub minutes: u8,
    /// The questions that help.
    pub questions: Vec<Question>,
}

/// An exercise that earlier workbooks had.
#[derive(Debug)]
pub struct Gone {
    /// The number that it had.
    pub number: String,
    /// What has become of it: `7.2 run_once is gone; its idea is in 7.9 now`.
    pub told: String,
}

/// A question that helps someone who's stuck, instead of an explanation.
#[derive(Debug)]
pub struct Question {
    /// Words of the verdict for which it's meant. Without any, it's meant for all.
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

    /// Says of the first exercise of a report that's gone what has become of it.
    fn gone_in(&self, report: &Report) -> Option<&str> {
        let mut named = report.exercise.iter().chain(&report.green);
        let gone = named.find_map(|number| self.gone.iter().find(|it| it.number == *number));
        gone.map(|gone| gone.told.as_str())
    }
}

impl Exercise {
    /// Returns the question for a line of a verdict: the one that's meant for it, or else the only
    /// one.
    fn question_for(&self, line: &str) -> Option<&str> {
        let is_meant = |it: &&Question| it.sees.iter().any(|words| line.contains(words.as_str()));
        let only = || self.questions.first().filter(|_| self.questions.len() == 1);
        let question = self.questions.iter().find(is_meant).or_else(only)?;
        Some(&question.asks)
    }
}
