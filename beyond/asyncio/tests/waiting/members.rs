//! `TaskGroup`: its members, and the states in which it accepts none. The numbers are those of
//! CPython's `test_taskgroups.py`.

use std::cell::{Cell, RefCell};
use std::future::{Future as Coroutine, poll_fn};
use std::panic::resume_unwind;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::support::{crash_after, pause, run};
use asyncio::{Error, ExceptionGroup, Result, TaskGroup, create_task, current_task, yield_now};
use kit::limit_time;

fn errors(error: &Error) -> Vec<String> {
    ExceptionGroup::of(error).unwrap().exceptions().iter().map(Error::to_string).collect()
}

#[test]
fn taskgroup_01_and_02_it_waits_for_all() {
    run(async {
        let group = TaskGroup::new();
        let block = async {
            let one = group.create_task(async { pause(100).await.map(|()| 42) })?;
            pause(150).await?;
            let other = group.create_task(async { pause(200).await.map(|()| "11") })?;
            Ok((one, other))
        };
        let (one, other) = group.run(block).await?;
        assert_eq!((one.result()?, other.result()?), (42, "11"));
        Ok(())
    });
}

#[test]
fn taskgroup_03_a_cancelled_member_is_no_failure() {
    run(async {
        let group = TaskGroup::new();
        let block = async {
            let one = group.create_task(pause(1000))?;
            pause(150).await?;
            one.cancel();
            let other = group.create_task(async { pause(200).await.map(|()| 11) })?;
            Ok((one, other))
        };
        let (one, other) = group.run(block).await?;
        assert!(one.cancelled());
        assert_eq!(other.result()?, 11);
        Ok(())
    });
}

#[test]
fn taskgroup_24_a_member_adds_members_when_the_block_has_ended() {
    run(async {
        let ended = Rc::new(Cell::new(0));
        let count = |milliseconds, ended: Rc<Cell<u32>>| async move {
            pause(milliseconds).await?;
            ended.set(ended.get() + 1);
            Ok(())
        };
        let group = TaskGroup::new();
        let (inner, counted) = (group.clone(), Rc::clone(&ended));
        let root = async move {
            pause(100).await?;
            inner.create_task(count(100, Rc::clone(&counted)))?;
            inner.create_task(count(200, counted))?;
            Ok(())
        };
        group.run(async { group.create_task(root).map(|_| ()) }).await?;
        assert_eq!(ended.get(), 2);
        Ok(())
    });
}

#[test]
fn taskgroup_25_a_hydra_is_beaten_by_an_error() {
    async fn hydra(group: TaskGroup, heads: Rc<Cell<u32>>) -> Result<()> {
        heads.set(heads.get() + 1);
        pause(10).await?;
        for _ in 0..2 {
            let head: std::pin::Pin<Box<dyn Coroutine<Output = Result<()>>>> =
                Box::pin(hydra(group.clone(), Rc::clone(&heads)));
            group.create_task(head)?;
        }
        Ok(())
    }

    run(async {
        let heads = Rc::new(Cell::new(0));
        let counted = Rc::clone(&heads);
        let hercules = async move {
            while counted.get() < 10 {
                pause(15).await?;
            }
            Err::<(), _>(Error::other("that's enough"))
        };
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task(hydra(group.clone(), Rc::clone(&heads)))?;
            group.create_task(hercules)?;
            Ok(())
        });
        assert_eq!(errors(&outcome.await.unwrap_err()), ["that's enough"]);
        assert!(heads.get() >= 10);
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
fn taskgroup_context_manager_exit_raises() {
    run(async {
        let group = TaskGroup::new();
        let outcome = group.run(async {
            group.create_task(async { Err::<(), _>(Error::other("a member")) })?;
            let _ = pause(1000).await;
            Err::<(), _>(Error::other("the cleanup"))
        });
        assert_eq!(errors(&outcome.await.unwrap_err()), ["a member", "the cleanup"]);
        assert_eq!(current_task().unwrap().cancelling(), 0);
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
    limit_time();
    let group = TaskGroup::new();
    let mut block = Box::pin(group.run(async { Ok(()) }));
    match block.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Err(Error::InvalidState(why))) => {
            assert_eq!(why, "TaskGroup cannot determine the parent task");
        }
        other => panic!("{other:?}"),
    }
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
fn error_and_cancel() {
    run(async {
        let task = create_task(async {
            let group = TaskGroup::new();
            let outcome = group.run(async {
                group.create_task(crash_after(0))?;
                pause(1000).await
            });
            assert_eq!(errors(&outcome.await.unwrap_err()), ["crash after 0"]);
            // The error has hidden the cancellation from outside. It comes now.
            assert_eq!(current_task().unwrap().cancelling(), 1);
            pause(1000).await
        })?;
        yield_now().await?;
        yield_now().await?;
        task.cancel();
        assert!(task.await.unwrap_err().is_cancelled());
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
        poll_fn(|context| {
            assert!(block.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        drop(block);
        assert!(member.take().unwrap().await.unwrap_err().is_cancelled());
        assert!(group.create_task(pause(1)).is_err());
        Ok(())
    });
}
