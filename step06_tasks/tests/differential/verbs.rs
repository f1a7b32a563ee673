//! The verbs that can be carried out anywhere: in a task, in a callback, and between two rounds.

use std::rc::Rc;

use step06_tasks::{AnyTask, Result, Task, current_task};

use crate::object::{Is, Object};
use crate::perform::perform;
use crate::player::{Stage, shown};
use crate::program::{FUTURES, Kind, Verb};

/// A program might let callbacks add each other forever.
const MOST_CALLS: usize = 20;

impl Stage {
    /// Carries out a verb and returns its text for the transcript.
    pub(crate) fn outcome(self: &Rc<Self>, verb: Verb) -> Result<String> {
        let Verb { kind, object: x, number } = verb;
        let said = match kind {
            Kind::Spawn => Some(self.spawn(x)),
            Kind::Create => Some(self.create(x)),
            Kind::Drop => Some(self.drop_object(x)),
            Kind::CallSoon => Some(self.call_soon(number)),
            Kind::CancelHandle => self.cancel_handle(number),
            Kind::Current => current_task().map(|task| task.name()),
            Kind::AllTasks => Some(self.names_of_all_tasks()),
            Kind::Cancelling => self.task(x).map(|task| task.cancelling().to_string()),
            Kind::Uncancel => self.uncancel(x).map(|left| left.to_string()),
            Kind::SetName => self.task(x).map(|task| set_name(&task, number)),
            Kind::Name => self.task(x).map(|task| task.name()),
            Kind::AddCallback => Some(self.add_callback(x, number)),
            Kind::RemoveCallback => {
                self.remove_callback(x, number).map(|removed| removed.to_string())
            }
            Kind::Fail => Some("nothing fails here".to_owned()),
            kind => self.object(x).map(|it| future_verb(&it, kind, number)).transpose()?,
        };
        Ok(said.unwrap_or_else(|| "none".to_owned()))
    }

    /// Returns a handle of its own to the object, if it's there.
    pub(crate) fn object(&self, x: usize) -> Option<Is> {
        self.objects.borrow()[x].as_ref().map(|object| object.is.clone())
    }

    fn task(&self, x: usize) -> Option<Task<usize>> {
        self.object(x)?.task()
    }

    pub(crate) fn uncancel(&self, x: usize) -> Option<u32> {
        Some(self.task(x)?.uncancel())
    }

    fn spawn(self: &Rc<Self>, x: usize) -> String {
        if self.spawned.borrow().contains(&x) {
            return "was spawned before".to_owned();
        }
        self.spawned.borrow_mut().push(x);
        let task = self.queue.create_task(perform(Rc::clone(self), x));
        let name = task.name();
        self.objects.borrow_mut()[x] = Some(Is::Task(task).into());
        name
    }

    fn create(&self, x: usize) -> String {
        if self.object(x).is_some() {
            return "is there".to_owned();
        }
        let future = self.queue.create_future();
        self.objects.borrow_mut()[x] = Some(Is::Future(future).into());
        "created".to_owned()
    }

    fn drop_object(&self, x: usize) -> String {
        // asyncio would collect a pending task without another handle; our queue keeps it.
        if self.object(x).is_none_or(|it| x >= FUTURES && !it.done()) {
            return "stays".to_owned();
        }
        let dropped: Option<Object> = self.objects.borrow_mut()[x].take();
        drop(dropped);
        "dropped".to_owned()
    }

    /// Numbers the calls and returns the number of the next call, unless there are too many.
    fn next_call(&self) -> Option<usize> {
        let calls = self.calls.get() + 1;
        (calls <= MOST_CALLS).then(|| self.calls.replace(calls) + 1)
    }

    fn add_callback(self: &Rc<Self>, x: usize, number: usize) -> String {
        let script = number % self.program.callbacks.len();
        let Some(object) = self.object(x) else { return "not added".to_owned() };
        let Some(call) = self.next_call() else { return "not added".to_owned() };
        let stage = Rc::clone(self);
        let called = move |future: &_| stage.called_back(call, script, future);
        let id = object.add_done_callback(called);
        if let Some(object) = &mut self.objects.borrow_mut()[x] {
            object.added.push(id);
        }
        format!("callback {call}")
    }

    fn remove_callback(&self, x: usize, number: usize) -> Option<bool> {
        let added = self.objects.borrow()[x].as_ref()?.added.clone();
        let id = added.iter().nth_back(number % added.len().max(1))?;
        Some(self.object(x)?.remove_done_callback(*id))
    }

    fn call_soon(self: &Rc<Self>, number: usize) -> String {
        let Some(call) = self.next_call() else {
            return "not called".to_owned();
        };
        let (stage, script) = (Rc::clone(self), number % self.program.callbacks.len());
        let called = move || stage.called(&format!("call {call}"), script);
        let handle = self.queue.call_soon(called);
        self.handles.borrow_mut().push(handle);
        format!("call {call}")
    }

    fn cancel_handle(&self, number: usize) -> Option<String> {
        let handles = self.handles.borrow().clone();
        let handle = handles.get(number % handles.len().max(1))?;
        let before = handle.cancelled();
        handle.cancel();
        Some(format!("{before}, {}", handle.cancelled()))
    }

    fn names_of_all_tasks(&self) -> String {
        let mut names: Vec<_> = self.queue.all_tasks().iter().map(AnyTask::name).collect();
        names.sort();
        names.join(", ")
    }
}

fn set_name(task: &Task<usize>, number: usize) -> String {
    task.any().set_name(&format!("name {number}"));
    task.name()
}

/// The verbs that only query or change one future or task.
fn future_verb(it: &Is, kind: Kind, number: usize) -> Result<String> {
    Ok(match kind {
        Kind::SetResult => it.set_result(number).map(|()| "set".to_owned())?,
        Kind::SetException => it.set_exception(number).map(|()| "set".to_owned())?,
        Kind::Cancel => it.cancel(number).to_string(),
        Kind::Result => it.result()?.to_string(),
        Kind::Exception => match it.exception()? {
            None => "no error".to_owned(),
            Some(error) => format!("error: {}", shown(&error)),
        },
        _ => format!("done {}, cancelled {}", it.done(), it.cancelled()),
    })
}
