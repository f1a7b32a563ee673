//! `TaskGroup`: messages, errors of the same moment, and the states in which it accepts no member.
//! Errors and cancellations of members and blocks are in the random programs of `differential`.
//! Only CPython 3.13 and later, which CI has, show what becomes of another code's request when a
//! group fails. The numbers are those of CPython's `test_taskgroups.py`.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;

use crate::common::{error_without_a_loop, poll_once};
use crate::support::{crash_after, pause, run};
use asyncio::{Error, ExceptionGroup, Result, TaskGroup, create_task, current_task};

fn errors(error: &Error) -> Vec<String> {
    ExceptionGroup::of(error).unwrap().exceptions().iter().map(Error::to_string).collect()
}

/// Counts its cancellations.
async fn count_cancellation(count: Rc<Cell<u32>>, by: u32) -> Result<()> {
    let outcome = pause(5000).await;
    if outcome.is_err() {
        count.set(count.get() + by);
    }
    outcome
}

#[test]
fn taskgroup_04_and_cancel_children_on_child_error() {
    run(async {
        let count = Rc::new(Cell::new(0));
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task(crash_after(100))?;
            group.create_task(crash_after(100))?;
            let sibling = group.create_task(count_cancellation(Rc::clone(&count), 1))?;
            let outcome = pause(10_000).await;
            count.set(count.get() + 10);
            outcome.map(|()| sibling)
        });
        // Both are due at the same moment; each error that was there is kept.
        assert_eq!(errors(&outcome.await.unwrap_err()), ["crash after 100", "crash after 100"]);
        assert_eq!(count.get(), 11);
        assert_eq!(current_task().unwrap().cancelling(), 0);
        // The group's own cancellation is over.
        pause(1).await
    });
}

#[test]
fn of_two_cancellations_the_first_comes_out() {
    run(async {
        let tidy = || async {
            let outcome = pause(10_000).await;
            pause(500).await?;
            outcome
        };
        let group = TaskGroup::new();
        let task =
            create_task(
                async move { group.run(async { group.create_task(tidy()).map(drop) }).await },
            )?;
        pause(100).await?;
        task.cancel_with("first");
        pause(100).await?;
        task.cancel_with("second");
        assert_eq!(task.await.unwrap_err().to_string(), "cancelled: first");
        Ok(())
    });
}

#[test]
fn taskgroup_19_the_blocks_own_error_comes_last() {
    run(async {
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task(crash_after(100))?;
            let _ = pause(10_000).await;
            Err::<(), _>(Error::other("the cleanup"))
        });
        let error = outcome.await.unwrap_err();
        assert_eq!(errors(&error), ["crash after 100", "the cleanup"]);
        assert_eq!(error.to_string(), "unhandled errors in a TaskGroup (2 sub-exceptions)");
        assert_eq!(current_task().unwrap().cancelling(), 0);
        Ok(())
    });
}

#[test]
fn taskgroup_no_create_task_after_failure() {
    run(async {
        let refused = Rc::new(RefCell::new(String::new()));
        let group = TaskGroup::new();
        let (inner, kept) = (group.clone(), Rc::clone(&refused));
        let outcome = group.run(async {
            group.create_task(crash_after(1))?;
            group.create_task(async move {
                let outcome = pause(1000).await;
                *kept.borrow_mut() = inner.create_task(crash_after(1)).unwrap_err().to_string();
                outcome
            })?;
            Ok(())
        });
        assert_eq!(errors(&outcome.await.unwrap_err()), ["crash after 1"]);
        assert_eq!(*refused.borrow(), "invalid state: TaskGroup is shutting down");
        Ok(())
    });
}

#[test]
fn taskgroup_already_entered_finished_and_not_entered() {
    run(async {
        let group = TaskGroup::new();
        let refused = group.create_task(pause(1)).unwrap_err();
        assert_eq!(refused.to_string(), "invalid state: TaskGroup has not been entered");
        let twice = group.run(async { group.run(async { Ok(()) }).await }).await.unwrap_err();
        assert_eq!(errors(&twice), ["invalid state: TaskGroup has already been entered"]);
        let again = group.run(async { Ok(()) }).await.unwrap_err();
        assert_eq!(again.to_string(), "invalid state: TaskGroup has already been entered");
        let refused = group.create_task(pause(1)).unwrap_err();
        assert_eq!(refused.to_string(), "invalid state: TaskGroup is finished");
        Ok(())
    });
}

#[test]
fn taskgroup_without_parent_task() {
    let group = TaskGroup::new();
    let refused = error_without_a_loop(group.run(async { Ok(()) }));
    assert_eq!(refused.to_string(), "invalid state: TaskGroup cannot determine the parent task");
}

#[test]
fn nested_groups_both_cancelled() {
    run(async {
        let (outer, inner) = (TaskGroup::new(), TaskGroup::new());
        let outcome = outer.run(async {
            let block = async {
                inner.create_task(crash_after(0))?;
                outer.create_task(crash_after(0))?;
                Ok(())
            };
            assert_eq!(errors(&inner.run(block).await.unwrap_err()), ["crash after 0"]);
            assert_eq!(current_task().unwrap().cancelling(), 1);
            Ok(())
        });
        assert_eq!(errors(&outcome.await.unwrap_err()), ["crash after 0"]);
        assert_eq!(current_task().unwrap().cancelling(), 0);
        Ok(())
    });
}

#[test]
fn a_panic_of_a_member_is_an_error() {
    run(async {
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task::<()>(async { resume_unwind(Box::new("oh no")) })?;
            pause(1000).await
        });
        assert_eq!(errors(&outcome.await.unwrap_err()), ["panicked: oh no"]);
        Ok(())
    });
}

#[test]
fn a_group_that_is_dropped_in_the_middle_cancels_its_members() {
    run(async {
        let group = TaskGroup::new();
        let member = Rc::new(Cell::new(None));
        let mut block = Box::pin(group.run(async {
            member.set(Some(group.create_task(pause(1000))?));
            pause(1000).await
        }));
        assert!(poll_once(block.as_mut()).await.is_pending());
        drop(block);
        assert!(member.take().unwrap().await.unwrap_err().is_cancelled());
        assert!(group.create_task(pause(1)).is_err());
        Ok(())
    });
}
