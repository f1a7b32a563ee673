//! `TaskGroup`: the outcomes after a failure. The numbers are those of CPython's
//! `test_taskgroups.py`.

use std::cell::Cell;
use std::future::Future as Coroutine;
use std::rc::Rc;

use crate::support::{crash_after, pause, run};
use asyncio::{Error, ExceptionGroup, Result, Task, TaskGroup, create_task, current_task};

/// Fails with an error of its own, whatever ends its sleep.
async fn crash_finally() -> Result<()> {
    let _ = pause(10_000).await;
    Err(Error::other("crash finally"))
}

/// Counts its cancellations.
async fn count_cancellation(count: Rc<Cell<u32>>, by: u32) -> Result<()> {
    let outcome = pause(5000).await;
    if outcome.is_err() {
        count.set(count.get() + by);
    }
    outcome
}

/// Shows the errors of a group; the errors of an inner group are in brackets.
fn errors<T: std::fmt::Debug>(outcome: Result<T>) -> String {
    show(&outcome.unwrap_err())
}

fn show(error: &Error) -> String {
    match ExceptionGroup::of(error) {
        None => error.to_string(),
        Some(group) => {
            let errors: Vec<String> = group.exceptions().iter().map(show).collect();
            format!("[{}]", errors.join(", "))
        }
    }
}

/// Starts a task and cancels it after a while.
async fn cancelled_later(task: impl Coroutine<Output = Result<()>> + 'static) -> Result<Task<()>> {
    let task = create_task(task)?;
    pause(100).await?;
    assert!(!task.done());
    task.cancel();
    Ok(task)
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
        assert_eq!(errors(outcome.await), "[crash after 100, crash after 100]");
        assert_eq!(count.get(), 11);
        assert_eq!(current_task().unwrap().cancelling(), 0);
        // The group's own cancellation is over.
        pause(1).await
    });
}

#[test]
fn cancellation_and_taskgroup_07() {
    run(async {
        for block_waits in [false, true] {
            let count = Rc::new(Cell::new(0));
            let inner = Rc::clone(&count);
            let runner = cancelled_later(async move {
                let group = TaskGroup::new();
                group
                    .run(async {
                        for _ in 0..5 {
                            group.create_task(count_cancellation(Rc::clone(&inner), 1))?;
                        }
                        if block_waits { count_cancellation(inner, 10).await } else { Ok(()) }
                    })
                    .await
            });
            assert!(runner.await?.await.unwrap_err().is_cancelled());
            assert_eq!(count.get(), if block_waits { 15 } else { 5 });
        }
        Ok(())
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
        assert_eq!(errors(task.await), "cancelled: first");
        Ok(())
    });
}

#[test]
fn taskgroup_08_errors_of_the_cleanup_come_out_instead_of_the_cancellation() {
    run(async {
        let runner = cancelled_later(async {
            let group = TaskGroup::new();
            let block = async {
                group.create_task(crash_finally())?;
                group.create_task(crash_finally())?;
                pause(10_000).await
            };
            group.run(block).await
        });
        assert_eq!(errors(runner.await?.await), "[crash finally, crash finally]");
        Ok(())
    });
}

#[test]
fn taskgroup_09_and_10_an_error_of_the_block_cancels_the_members() {
    run(async {
        for waits in [0, 100] {
            let group = TaskGroup::new();
            let tasks = Rc::new(Cell::new(None));
            let outcome = group.run(async {
                let one = group.create_task(pause(1000))?;
                let other = group.create_task(pause(2000))?;
                tasks.set(Some((one, other)));
                if waits > 0 {
                    pause(waits).await?;
                }
                Err::<(), _>(Error::other("the block"))
            });
            assert_eq!(errors(outcome.await), "[the block]");
            let (one, other) = tasks.take().unwrap();
            assert!(one.cancelled() && other.cancelled());
        }
        Ok(())
    });
}

#[test]
fn taskgroup_11_and_12_errors_of_an_inner_group_are_a_group_of_their_own() {
    run(async {
        for outer_has_a_member in [false, true] {
            let runner = cancelled_later(async move {
                let (outer, inner) = (TaskGroup::new(), TaskGroup::new());
                let block = async {
                    if outer_has_a_member {
                        outer.create_task(pause(10_000))?;
                    }
                    let block = async {
                        inner.create_task(crash_finally())?;
                        inner.create_task(crash_finally())?;
                        pause(10_000).await
                    };
                    inner.run(block).await
                };
                outer.run(block).await
            });
            assert_eq!(errors(runner.await?.await), "[[crash finally, crash finally]]");
        }
        Ok(())
    });
}

#[test]
fn taskgroup_13_and_14_the_first_group_with_an_error_ends_the_other() {
    run(async {
        for (outer_crash, inner_crash, expected) in
            [(100, 10_000, "[crash after 100]"), (10_000, 100, "[[crash after 100]]")]
        {
            let (outer, inner) = (TaskGroup::new(), TaskGroup::new());
            let outcome = outer.run(async {
                outer.create_task(crash_after(outer_crash))?;
                let block = async { inner.create_task(crash_after(inner_crash)).map(|_| ()) };
                inner.run(block).await
            });
            assert_eq!(errors(outcome.await), expected);
            assert_eq!(current_task().unwrap().cancelling(), 0);
        }
        Ok(())
    });
}

/// A member fails while the block cleans up after a cancellation from outside.
async fn crash_during_the_cleanup() -> Result<()> {
    let group = TaskGroup::new();
    let block = async {
        group.create_task(crash_finally())?;
        let outcome = pause(10_000).await;
        pause(500).await?;
        outcome
    };
    group.run(block).await
}

#[test]
fn taskgroup_15_and_16() {
    run(async {
        let runner = cancelled_later(crash_during_the_cleanup());
        // The block is still cleaning up when the members are cancelled at last.
        assert_eq!(errors(runner.await?.await), "[crash finally]");
        let runner = cancelled_later(async { create_task(crash_during_the_cleanup())?.await });
        assert_eq!(errors(runner.await?.await), "[crash finally]");
        Ok(())
    });
}

#[test]
fn taskgroup_17_and_18_a_cancelled_block_without_members() {
    run(async {
        for (error, expected) in [(None, "cancelled"), (Some("my own"), "[my own]")] {
            let runner = cancelled_later(async move {
                let block = async {
                    let outcome = pause(10_000).await;
                    error.map_or(outcome, |error| Err(Error::other(error)))
                };
                TaskGroup::new().run(block).await
            });
            assert_eq!(errors(runner.await?.await), expected);
        }
        Ok(())
    });
}

#[test]
fn taskgroup_19_the_blocks_own_error_comes_last() {
    run(async {
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task(crash_after(100))?;
            crash_finally().await
        });
        let error = outcome.await.unwrap_err();
        assert_eq!(show(&error), "[crash after 100, crash finally]");
        assert_eq!(error.to_string(), "unhandled errors in a TaskGroup (2 sub-exceptions)");
        assert_eq!(current_task().unwrap().cancelling(), 0);
        Ok(())
    });
}
