//! A running class. The server first writes an event to the disk, then carries it out, and then
//! sends everyone the part of the event that they may see.

use std::cell::{Cell, Ref, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use asyncio::{Event as Flag, Result, Task, create_task};
use bytes::Bytes;
use cockpit::web::{Programs, Refusal, event};
use ecosystem::LoopTimer;
use futures_util::Stream;
use futures_util::future::join_all;
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::entrance::{Entrance, NO_RANDOM_BYTES};
use crate::event::{Event, Report, now};
use crate::kept::Kept;
use crate::limits::Bucket;
use crate::names::{Likeness, cleaned};
use crate::state::{Phase, State};
use crate::store::{Happening, OVER, Store};
use crate::streams::Streams;
use crate::texts::shown;
use crate::{Material, views};

/// The minimum time between two updates of the board.
const BOARD: Duration = Duration::from_millis(250);

/// The number of requests that a student can make in a burst, and the interval after which each
/// further request is allowed.
const REQUESTS: (u32, Duration) = (30, Duration::from_millis(500));

/// The person who makes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Student(u32),
    Teacher,
}

#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) material: Material,
    keep: Option<PathBuf>,
    pub(crate) state: RefCell<State>,
    store: Rc<Store>,
    pub(crate) streams: Streams,
    pub(crate) programs: Rc<Programs>,
    /// The lines that the scene has printed so far, or `None` if no scene is playing.
    pub(crate) playing: RefCell<Option<Vec<String>>>,
    /// Set when the board may have changed since it was last sent to the teacher.
    has_changed: Flag,
    /// Set when the teacher has ended the class.
    pub(crate) is_over: Flag,
    /// The outcome of ending the class, or `None` if the class hasn't been ended yet.
    ended: Cell<Option<std::result::Result<(), Refusal>>>,
    is_ending: Cell<bool>,
    told_of_the_poll: RefCell<Bytes>,
    pub(crate) entrance: Entrance,
    requests: RefCell<BTreeMap<u32, Bucket>>,
}

impl Room {
    /// Creates the room for a class. When the class ends, its file is moved to the directory
    /// `keep`. If `keep` is `None`, the file is removed.
    pub(crate) fn open(
        root: &Path,
        material: Material,
        keep: Option<PathBuf>,
        state: State,
    ) -> Rc<Self> {
        let next_student = state.students.keys().last().map_or(1, |last| last + 1);
        Rc::new(Room {
            programs: Programs::new(root),
            material,
            keep,
            state: RefCell::new(state),
            store: Rc::new(Store::new()),
            streams: Streams::default(),
            playing: RefCell::default(),
            has_changed: Flag::new(),
            is_over: Flag::new(),
            ended: Cell::new(None),
            is_ending: Cell::new(false),
            told_of_the_poll: RefCell::default(),
            entrance: Entrance::new(next_student),
            requests: RefCell::default(),
        })
    }

    /// Starts the background tasks, which write the file and update the board.
    pub(crate) fn start(self: &Rc<Self>, kept: Kept) -> Result<()> {
        create_task(Rc::clone(&self.store).run(kept, Rc::clone(self)))?;
        let room = Rc::clone(self);
        let board: Task<()> = create_task(async move {
            loop {
                room.has_changed.wait().await?;
                room.has_changed.clear();
                room.tell_the_teacher();
                LoopTimer.sleep(BOARD).await;
            }
        })?;
        drop(board);
        Ok(())
    }

    /// Sends the teacher the board. If the poll, the number of its answers or the number of
    /// students has changed since the last update, also sends the poll.
    fn tell_the_teacher(&self) {
        if self.streams.has_teacher() {
            self.streams.tell_teacher(&self.board());
            let poll = self.teachers_poll();
            if *self.told_of_the_poll.borrow() != poll {
                self.streams.tell_teacher(&poll);
                *self.told_of_the_poll.borrow_mut() = poll;
            }
        }
    }

    /// Writes an event to the disk and then makes it happen.
    pub(crate) async fn commit(&self, event: Event) -> std::result::Result<(), Refusal> {
        if self.is_ending.get() {
            return Err(OVER);
        }
        // An event that can't happen is refused immediately. The store checks again when it's the
        // event's turn.
        self.state.borrow().check(&event)?;
        self.store.write(event).await
    }

    /// Sends everyone the part of an event that they may see.
    fn tell(&self, event: Event) {
        self.has_changed.set();
        match event {
            Event::Opened { .. } | Event::Closed { .. } | Event::Done { .. } => self.tell_poll(),
            Event::Shown { .. } => {
                self.playing.borrow_mut().take();
                self.tell_poll();
            }
            Event::Answered { student, .. } => {
                let told = self.polls_for();
                self.streams.tell_student(student, &told(student));
            }
            Event::Wants { student, wanted, .. } => {
                self.streams.tell_student(student, &help(wanted));
            }
            Event::Left { student, .. } => {
                let removed = event_of(&json!({ "event": "removed" }));
                self.streams.tell_student(student, &removed);
                self.streams.end(student);
                self.requests.borrow_mut().remove(&student);
                self.entrance.forget(student);
            }
            Event::Begun { .. }
            | Event::Joined { .. }
            | Event::Door { .. }
            | Event::Reported { .. } => {}
        }
    }

    /// Sends everyone the poll and, once its answer has been shown, the outcome. Also sends the
    /// teacher the bars, unless the poll is open.
    pub(crate) fn tell_poll(&self) {
        self.streams.tell_students(self.polls_for());
        if let Some(results) = self.results_for() {
            self.streams.tell_students(results);
        }
        self.streams.tell_teacher(&self.teachers_poll());
        if let Some(bars) = self.bars() {
            self.streams.tell_teacher(&bars);
        }
    }

    /// Returns a function that creates the poll's event for a student. The part that's the same for
    /// all students is created only once.
    fn polls_for(&self) -> impl Fn(u32) -> Bytes + '_ {
        let poll = {
            let (state, playing) = (self.state.borrow(), self.playing.borrow());
            views::poll(&self.material, &state, playing.as_deref())
        };
        let common = poll.to_string();
        move |student| {
            let Some(common) = common.strip_suffix('}') else {
                return event(r#"{"event":"poll","poll":null}"#);
            };
            let state = self.state.borrow();
            let yours = state.held().and_then(|(_, held)| held.answers.get(&student));
            let (answered, yours) = (yours.is_some(), json!(yours));
            event(&format!(
                r#"{{"event":"poll","poll":{common},"yours":{yours},"answered":{answered}}}}}"#
            ))
        }
    }

    /// Returns a function that creates the outcome's event for a student, or `None` if the poll's
    /// answer hasn't been shown.
    fn results_for(&self) -> Option<impl Fn(u32) -> Bytes> {
        let common = {
            let state = self.state.borrow();
            let (poll, held) = views::current(&self.material, &state)?;
            (held.phase == Phase::Played).then(|| views::result(poll, held).to_string())?
        };
        Some(move |student| {
            let state = self.state.borrow();
            let own = views::current(&self.material, &state);
            let own = own.map(|(poll, held)| views::own_result(poll, held, student));
            let (right, overlooks) = own.unwrap_or_default();
            let common = common.strip_suffix('}').unwrap_or_default();
            event(&format!(r#"{common},"right":{right},"overlooks":{overlooks}}}"#))
        })
    }

    fn board(&self) -> Bytes {
        let state = self.state.borrow();
        let is_connected = |student| self.streams.is_connected(student);
        event_of(&views::board(&self.material, &state, now(), is_connected))
    }

    fn teachers_poll(&self) -> Bytes {
        let (state, playing) = (self.state.borrow(), self.playing.borrow());
        let poll = views::poll(&self.material, &state, playing.as_deref());
        let count = state.held().map_or(0, |(_, held)| held.answers.len());
        let all = state.students.len();
        let told =
            json!({ "event": "poll", "poll": poll, "answered_count": count, "of_students": all });
        event_of(&told)
    }

    /// Returns the bars for the current poll, or `None` if there's no current poll or it's open.
    fn bars(&self) -> Option<Bytes> {
        let state = self.state.borrow();
        let (poll, held) = views::current(&self.material, &state)?;
        (held.phase != Phase::Open).then(|| event_of(&views::bars(poll, held)))
    }

    /// Opens a stream, which begins with the current state.
    pub(crate) fn listen(
        &self,
        who: Who,
    ) -> std::result::Result<Box<dyn Stream<Item = Bytes> + Unpin>, Refusal> {
        self.has_changed.set();
        let Who::Student(student) = who else {
            let first = [Some(self.board()), Some(self.teachers_poll()), self.bars()];
            let first = first.into_iter().flatten().collect();
            return Ok(Box::new(Box::pin(self.streams.add_teacher(first))));
        };
        let asked = self.state.borrow().students.get(&student).map(|it| it.wants_help);
        let wants_help = asked.ok_or(NOT_HERE)?;
        let mut first = vec![self.polls_for()(student), help(wants_help)];
        first.extend(self.results_for().map(|result| result(student)));
        Ok(Box::new(Box::pin(self.streams.add(student, first)?)))
    }

    /// Returns the owner of a token. Refuses a student who makes too many requests.
    pub(crate) fn who(&self, token: &str) -> std::result::Result<Who, Refusal> {
        let state = self.state.borrow();
        if token == state.teacher {
            return Ok(Who::Teacher);
        }
        let student = state.student(token).ok_or(NOT_HERE)?;
        let mut requests = self.requests.borrow_mut();
        let (holds, interval) = REQUESTS;
        if requests.entry(student).or_insert_with(|| Bucket::new(holds, interval)).take() {
            Ok(Who::Student(student))
        } else {
            let why = "that's too many requests: wait a moment and try again";
            Err(Refusal(StatusCode::TOO_MANY_REQUESTS, why))
        }
    }

    /// Lets in a student who has the code or a pass. Returns the student's token and name.
    pub(crate) async fn join(
        &self,
        code: &str,
        name: &str,
    ) -> std::result::Result<(String, String), Refusal> {
        if let Some(number) = self.entrance.owner(code) {
            let state = self.state.borrow();
            let student = state.students.get(&number).ok_or(NOT_HERE)?;
            // Check the name first, so that a typo in the name doesn't use up the pass.
            if !Likeness::of(name).is_like(&student.likeness) {
                return Err(Refusal(StatusCode::FORBIDDEN, "this pass was made for another name"));
            }
            self.entrance.forget(number);
            return Ok((student.token.clone(), student.name.clone()));
        }
        self.entrance.check(code, &self.state.borrow().code)?;
        self.state.borrow().check_name(&Likeness::of(name))?;
        let name = cleaned(name).ok_or(Refusal(
            StatusCode::BAD_REQUEST,
            "a name can have up to 40 characters: letters, digits, spaces, hyphens, full stops and \
             apostrophes. It needs at least one letter or digit, and a word can't mix scripts such \
             as Latin and Cyrillic",
        ))?;
        let token = cockpit::new_token().map_err(|_| NO_RANDOM_BYTES)?;
        let student = self.entrance.next_student();
        let (joined_name, joined_token) = (name.clone(), token.clone());
        let joined = Event::Joined { at: now(), student, name: joined_name, token: joined_token };
        self.commit(joined).await?;
        Ok((token, name))
    }

    pub(crate) async fn answer(
        &self,
        student: u32,
        poll: &str,
        typed: Vec<String>,
    ) -> std::result::Result<(), Refusal> {
        let can_be = self.material.poll(poll).is_some_and(|poll| poll.can_be(&typed));
        if !can_be {
            return Err(Refusal(StatusCode::BAD_REQUEST, "that can't be an answer to this poll"));
        }
        self.commit(Event::Answered { at: now(), student, poll: poll.to_owned(), typed }).await
    }

    /// Records a report from a student's runner. Returns true if the student wants help.
    pub(crate) async fn report(
        &self,
        student: u32,
        mut report: Report,
    ) -> std::result::Result<bool, Refusal> {
        let is_known = |number: &String| self.material.exercise(number).is_some();
        let is_short = report.line.as_ref().is_none_or(|line| line.len() <= 300);
        let is_part = self.material.exercises.iter().any(|it| it.package == report.package);
        let are_known = report.exercise.iter().chain(&report.green).all(is_known);
        if !(is_short && is_part && are_known) {
            let why = "the class's workbook has no such step or exercise, or the line is too long";
            return Err(Refusal(StatusCode::BAD_REQUEST, why));
        }
        if let Some(line) = &mut report.line {
            *line = shown(line);
        }
        self.commit(Event::Reported { at: now(), student, report }).await?;
        let state = self.state.borrow();
        Ok(state.students.get(&student).is_some_and(|student| student.wants_help))
    }

    /// Shows a poll to everyone.
    pub(crate) async fn open_poll(&self, id: &str) -> std::result::Result<(), Refusal> {
        if self.material.poll(id).is_none() {
            return Err(Refusal(StatusCode::BAD_REQUEST, "there's no such poll"));
        }
        self.check_not_playing()?;
        self.commit(Event::Opened { at: now(), poll: id.to_owned() }).await
    }

    /// Removes the poll from everyone's page.
    pub(crate) async fn done(&self) -> std::result::Result<(), Refusal> {
        self.check_not_playing()?;
        self.commit(Event::Done { at: now() }).await
    }

    /// Shows the answer to a poll that can't be played.
    pub(crate) async fn reveal(&self) -> std::result::Result<(), Refusal> {
        self.check_not_playing()?;
        let scene = self.scene();
        if scene.is_some() {
            return Err(Refusal(StatusCode::CONFLICT, "play the poll's scene to show the answer"));
        }
        self.commit(Event::Shown { at: now(), printed: Vec::new() }).await
    }

    /// Removes students by name. If one of the names belongs to no student, removes the other
    /// students and then fails.
    pub(crate) async fn remove(&self, names: &[String]) -> std::result::Result<(), Refusal> {
        let found: Vec<u32> = {
            let state = self.state.borrow();
            let those = state.students.iter().filter(|(_, student)| names.contains(&student.name));
            those.map(|(number, _)| *number).collect()
        };
        let left = found.iter().map(|&student| self.commit(Event::Left { at: now(), student }));
        let left = join_all(left).await;
        // A student who has left in the meantime also counts as missing.
        let is_gone = |it: &std::result::Result<(), Refusal>| {
            matches!(it, Err(Refusal(StatusCode::UNAUTHORIZED, _)))
        };
        left.into_iter().find(|it| it.is_err() && !is_gone(it)).unwrap_or(Ok(()))?;
        if found.len() < names.len() {
            return Err(Refusal(
                StatusCode::BAD_REQUEST,
                "some of these names aren't students' names",
            ));
        }
        Ok(())
    }

    /// Ends the class: removes or moves the file and tells everyone that the class is over. A
    /// second request has the same outcome as the first.
    pub(crate) async fn end(&self) -> std::result::Result<(), Refusal> {
        if self.is_ending.replace(true) {
            let gone = Refusal(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down");
            self.is_over.wait().await.map_err(|_| gone)?;
            return self.ended.get().unwrap_or(Ok(()));
        }
        let ended = self.store.end(self.keep.clone()).await;
        let over = event_of(&json!({ "event": "over" }));
        self.streams.tell_students(|_| over.clone());
        self.streams.tell_teacher(&over);
        self.end_streams();
        self.ended.set(Some(ended));
        self.is_over.set();
        ended
    }

    /// Ends all streams. If the class isn't over, its pages connect again.
    pub(crate) fn end_streams(&self) {
        self.streams.end_all();
    }
}

impl Happening for Room {
    fn state(&self) -> Ref<'_, State> {
        self.state.borrow()
    }

    fn happens(&self, event: Event) -> std::result::Result<(), Refusal> {
        self.state.borrow_mut().apply(event.clone())?;
        self.tell(event);
        Ok(())
    }
}

const NOT_HERE: Refusal =
    Refusal(StatusCode::UNAUTHORIZED, "you aren't in this class: join with its code");

fn help(asked: bool) -> Bytes {
    event_of(&json!({ "event": "help", "asked": asked }))
}

pub(crate) fn event_of(value: &Value) -> Bytes {
    event(&value.to_string())
}
