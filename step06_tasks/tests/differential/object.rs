//! A future or a task, for verbs that treat both alike.

use step06_tasks::{CallbackId, Error, Future, Result, Task};

pub(crate) struct Object {
    pub(crate) is: Is,
    /// The callbacks that were added, in their order.
    pub(crate) added: Vec<CallbackId>,
}

/// The kind of an object. A task is sometimes used as a future or as a task of any type.
#[derive(Clone)]
pub(crate) enum Is {
    Future(Future<usize>),
    Task(Task<usize>),
}

impl From<Is> for Object {
    fn from(is: Is) -> Self {
        Object { is, added: Vec::new() }
    }
}

impl Is {
    pub(crate) fn task(&self) -> Option<Task<usize>> {
        match self {
            Is::Future(_) => None,
            Is::Task(task) => Some(task.clone()),
        }
    }

    pub(crate) fn as_future(&self) -> Future<usize> {
        match self {
            Is::Future(future) => future.clone(),
            Is::Task(task) => task.future(),
        }
    }

    /// Waits for the result; through the task's future if the number is odd.
    pub(crate) async fn wait(self, number: usize) -> Result<usize> {
        match self {
            Is::Task(task) if number.is_multiple_of(2) => task.await,
            it => {
                let future = it.as_future();
                drop(it);
                future.await
            }
        }
    }

    /// Cancels the object, with a message unless the number is 0. A task can be cancelled in
    /// several ways.
    pub(crate) fn cancel(&self, number: usize) -> bool {
        let message = format!("message {number}");
        match (self, number) {
            (Is::Future(future), 0) => future.cancel(),
            (Is::Future(future), _) => future.cancel_with(&message),
            (Is::Task(task), 0) => task.cancel(),
            (Is::Task(task), 1) => task.cancel_with(&message),
            (Is::Task(task), 2) => task.any().cancel_with(&message),
            (Is::Task(task), _) => task.future().cancel_with(&message),
        }
    }

    pub(crate) fn add_done_callback(
        &self,
        callback: impl FnOnce(&Future<usize>) + 'static,
    ) -> CallbackId {
        match self {
            Is::Future(future) => future.add_done_callback(callback),
            Is::Task(task) => task.add_done_callback(callback),
        }
    }

    pub(crate) fn remove_done_callback(&self, id: CallbackId) -> bool {
        match self {
            Is::Future(future) => future.remove_done_callback(id),
            Is::Task(task) => task.remove_done_callback(id),
        }
    }

    pub(crate) fn set_result(&self, result: usize) -> Result<()> {
        self.as_future().set_result(result)
    }

    pub(crate) fn set_exception(&self, number: usize) -> Result<()> {
        self.as_future().set_exception(Error::other(format!("error {number}")))
    }

    pub(crate) fn result(&self) -> Result<usize> {
        match self {
            Is::Future(future) => future.result(),
            Is::Task(task) => task.result(),
        }
    }

    pub(crate) fn exception(&self) -> Result<Option<Error>> {
        match self {
            Is::Future(future) => future.exception(),
            Is::Task(task) => task.exception(),
        }
    }

    pub(crate) fn done(&self) -> bool {
        match self {
            Is::Future(future) => future.done(),
            Is::Task(task) => task.done(),
        }
    }

    pub(crate) fn cancelled(&self) -> bool {
        match self {
            Is::Future(future) => future.cancelled(),
            Is::Task(task) => task.any().cancelled(),
        }
    }
}
