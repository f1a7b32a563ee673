//! The students' and the teacher's streams of events.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use bytes::Bytes;
use cockpit::web::{Listeners, Refusal};
use futures_util::{Stream, StreamExt};
use hyper::StatusCode;

use crate::limits::STREAMS;

/// A person's streams, one for each open page.
#[derive(Debug, Default)]
struct Pages {
    listeners: Listeners,
    /// Each stream with an open connection holds a clone, even if no page reads the stream.
    open: Rc<()>,
}

/// The streams of everyone in the class.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    of_students: RefCell<BTreeMap<u32, Pages>>,
    of_the_teacher: Listeners,
}

impl Streams {
    /// Adds a student's page and returns its stream, which begins with these events.
    pub(crate) fn add(
        &self,
        student: u32,
        first: Vec<Bytes>,
    ) -> Result<impl Stream<Item = Bytes> + 'static, Refusal> {
        let mut all = self.of_students.borrow_mut();
        let pages = all.entry(student).or_default();
        if Rc::strong_count(&pages.open) > STREAMS {
            let why = "this class is open in too many tabs: close some and wait a moment";
            return Err(Refusal(StatusCode::TOO_MANY_REQUESTS, why));
        }
        let open = Rc::clone(&pages.open);
        Ok(pages.listeners.add(first).map(move |event| {
            // `open` is dropped with the stream, which is dropped with its connection.
            let _ = &open;
            event
        }))
    }

    /// Adds one of the teacher's pages and returns its stream, which begins with these events.
    pub(crate) fn add_teacher(&self, first: Vec<Bytes>) -> impl Stream<Item = Bytes> + use<> {
        self.of_the_teacher.add(first)
    }

    /// Returns true if a page of this student is open.
    pub(crate) fn is_connected(&self, student: u32) -> bool {
        self.of_students.borrow().get(&student).is_some_and(|pages| pages.listeners.count() > 0)
    }

    /// Sends an individual event to each student who has an open page.
    pub(crate) fn tell_students(&self, event_for: impl Fn(u32) -> Bytes) {
        for (student, pages) in &*self.of_students.borrow() {
            if pages.listeners.count() > 0 {
                pages.listeners.tell(&event_for(*student));
            }
        }
    }

    pub(crate) fn tell_student(&self, student: u32, event: &Bytes) {
        if let Some(pages) = self.of_students.borrow().get(&student) {
            pages.listeners.tell(event);
        }
    }

    pub(crate) fn tell_teacher(&self, event: &Bytes) {
        self.of_the_teacher.tell(event);
    }

    pub(crate) fn has_teacher(&self) -> bool {
        self.of_the_teacher.count() > 0
    }

    /// Ends a student's streams after the events that have already been sent.
    pub(crate) fn end(&self, student: u32) {
        self.of_students.borrow_mut().remove(&student);
    }

    /// Ends all streams after the events that have already been sent.
    pub(crate) fn end_all(&self) {
        self.of_students.borrow_mut().clear();
        self.of_the_teacher.end();
    }
}
