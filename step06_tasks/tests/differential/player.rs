//! Plays a program on our queue. `player.py` does the same, line by line.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;

use step06_tasks::{Drain, Error, Future, Handle, ReadyQueue};

use crate::object::{Is, Object};
use crate::program::{FUTURES, Kind, Program, Verb};

/// Far more than any program needs. A broken queue might run forever.
const MOST_ROUNDS: usize = 200;

pub(crate) struct Stage {
    pub(crate) program: Program,
    pub(crate) queue: ReadyQueue,
    pub(crate) objects: RefCell<Vec<Option<Object>>>,
    pub(crate) spawned: RefCell<Vec<usize>>,
    pub(crate) handles: RefCell<Vec<Handle>>,
    pub(crate) calls: Cell<usize>,
    lines: RefCell<Vec<String>>,
    reports: Rc<RefCell<Vec<String>>>,
}

/// Returns the lines that the program prints.
pub(crate) fn play(program: &Program) -> Vec<String> {
    let stage = Rc::new(Stage::new(program.clone()));
    // A loop enters its queue. Without that, a wake-up between two rounds goes through the inbox.
    let _entered = program.tasks.len().is_multiple_of(2).then(|| stage.queue.enter());
    for round in &program.rounds {
        for verb in &round.verbs {
            stage.act("main", *verb);
        }
        stage.run_round();
    }
    stage.end_all();
    stage.tell_states();
    // Dropped when they aren't borrowed any more.
    drop(stage.objects.take());
    stage.tell_reports();
    stage.lines.take()
}

/// Shows an error as `player.py` does.
pub(crate) fn shown(error: &Error) -> String {
    match error {
        Error::Cancelled(message) => format!("cancelled({})", message.as_deref().unwrap_or("")),
        Error::InvalidState(_) => "invalid state".to_owned(),
        error => error.to_string(),
    }
}

impl Stage {
    fn new(program: Program) -> Self {
        let queue = ReadyQueue::new().unwrap();
        let reports = Rc::<RefCell<Vec<String>>>::default();
        let kept = Rc::clone(&reports);
        queue.set_exception_handler(move |report| {
            let report = report.to_string();
            let report = report.split_inclusive("invalid state").next().unwrap_or_default();
            kept.borrow_mut().push(report.to_owned());
        });
        let futures = (0..FUTURES).map(|_| Some(Is::Future(queue.create_future()).into()));
        let objects = futures.chain(program.tasks.iter().map(|_| None)).collect();
        Stage {
            program,
            queue,
            objects: RefCell::new(objects),
            spawned: RefCell::default(),
            handles: RefCell::default(),
            calls: Cell::default(),
            lines: RefCell::default(),
            reports,
        }
    }

    pub(crate) fn say(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_owned());
    }

    fn run_round(&self) {
        self.queue.take_remote(Drain::Pipe).unwrap();
        let place = self.lines.borrow().len();
        let ran = self.queue.run_ready();
        self.lines.borrow_mut().insert(place, format!("round of {ran}"));
        self.tell_reports();
    }

    fn run_until_idle(&self) {
        for _ in 0..MOST_ROUNDS {
            if self.queue.is_empty() {
                return;
            }
            self.run_round();
        }
        self.say("the queue is never idle");
    }

    /// CPython collects objects in no promised order, so the reports of a round are sorted.
    fn tell_reports(&self) {
        let mut reports = self.reports.take();
        reports.sort();
        self.lines.borrow_mut().append(&mut reports);
    }

    /// Cancels pending objects until none is left: a task can ignore requests for a while.
    fn end_all(self: &Rc<Self>) {
        self.run_until_idle();
        for _ in 0..MOST_ROUNDS {
            let pending = self.numbers_of(|object| !object.done());
            if pending.is_empty() {
                return;
            }
            for object in pending {
                self.act("main", Verb { kind: Kind::Cancel, object, number: 0 });
            }
            self.run_until_idle();
        }
        self.say("something stays pending");
    }

    fn tell_states(self: &Rc<Self>) {
        for object in self.numbers_of(|_| true) {
            self.act("main", Verb { kind: Kind::State, object, number: 0 });
            if object >= FUTURES {
                self.act("main", Verb { kind: Kind::Cancelling, object, number: 0 });
            }
        }
    }

    fn numbers_of(&self, wanted: impl Fn(&Is) -> bool) -> Vec<usize> {
        let objects = self.objects.borrow();
        let is_wanted = |object: &Option<Object>| object.as_ref().is_some_and(|it| wanted(&it.is));
        (0..objects.len()).filter(|&number| is_wanted(&objects[number])).collect()
    }

    /// Carries out a verb that isn't for tasks only.
    pub(crate) fn act(self: &Rc<Self>, who: &str, verb: Verb) {
        let outcome = self.outcome(verb).unwrap_or_else(|error| shown(&error));
        let Verb { kind, object, number } = verb;
        self.say(&format!("{who}: {kind:?} {object} {number}: {outcome}"));
    }

    pub(crate) fn called_back(self: &Rc<Self>, call: usize, script: usize, future: &Future<usize>) {
        let (done, cancelled) = (future.done(), future.cancelled());
        self.say(&format!("callback {call}: done {done}, cancelled {cancelled}"));
        self.called(&format!("callback {call}"), script);
    }

    pub(crate) fn called(self: &Rc<Self>, who: &str, script: usize) {
        self.say(&format!("{who}: runs"));
        for verb in self.program.callbacks[script].verbs.clone() {
            if matches!(verb.kind, Kind::Fail) {
                resume_unwind(Box::new(format!("in {who}")));
            }
            self.act(who, verb);
        }
    }
}
