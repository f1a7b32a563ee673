//! What a task waits for: a time, and room to write.

use scene::{Exercise, Nudge};

use super::LAST_STEP;

pub(super) const SLEEP: Exercise = Exercise {
    number: "7.4",
    name: "sleep",
    task: "Let a task wait for a time without blocking the others.",
    minutes: 15,
    only_here: LAST_STEP,
    scenes: &["sleepers_wake_in_order", "a_cancelled_sleep_leaves_no_timer"],
    trials: &["sleeps_of_many_tasks", "sleeps_by_themselves"],
    hints: &[
        "A sleep is made of two things that you have already. Which of them can a task await, \
         and which knows the time?",
        "Alarm::set(event_loop, delay) starts a timer that wakes whatever polls it, and poll_fn \
         makes an await of a poll. Before each poll of the alarm, check_cancelled()? delivers a \
         cancellation. The alarm is cancelled when it's dropped, so it should be a variable of \
         this function. A delay of zero is yield_now().",
        "\
    if delay.is_zero() {
        return yield_now().await;
    }
    let alarm = Alarm::set(get_running_loop()?, delay);
    poll_fn(|context| match check_cancelled() {
        Err(cancelled) => Poll::Ready(Err(cancelled)),
        Ok(()) => alarm.poll(context).map(Ok),
    })
    .await",
    ],
    nudges: &[
        Nudge {
            at: "sleeps_of_many_tasks",
            sees: "could sleep",
            hint: "A timer is left over: a sleep that was cancelled, dropped or over hasn't \
                   cancelled its own. `let _ = CancelOnDrop(timer)` drops the guard at once; \
                   `let _timer = ...` keeps it.",
        },
        Nudge {
            at: "sleeps_of_many_tasks",
            sees: "Sleep(0ns)",
            hint: "A sleep of zero lets all that's ready run once, and needs no timer: that's \
                   what yield_now() does.",
        },
    ],
};

pub(super) const WRITE_ALL: Exercise = Exercise {
    number: "7.5",
    name: "write_all",
    task: "Write all of the bytes, however slowly the other side reads.",
    minutes: 10,
    only_here: LAST_STEP,
    scenes: &["slow_reader_holds_the_writer", "echo_conversation"],
    trials: &["writes_to_a_slow_peer"],
    hints: &[
        "How much does try_write take, and what becomes of the rest?",
        "Before each try, wait for self.socket.writable(), which returns at once while \
         there might be room. Then go on with what try_write didn't take, until nothing is \
         left.",
        "\
        while !bytes.is_empty() {
            self.socket.writable().await?;
            let taken = self.try_write(bytes)?;
            bytes = &bytes[taken..];
        }
        Ok(())",
    ],
    nudges: &[
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "without room",
            hint: "There's no room, and still the loop can't sleep: your task comes back in \
                   every tick. self.socket.writable() wakes it when there's room.",
        },
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "cancelled before",
            hint: "A task that's cancelled hears of it in its next wait. If you write before \
                   you wait for ready(), a write that finds room is no wait at all.",
        },
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "woken before there's room: 1",
            hint: "When the kernel has taken only a part, the next step is to wait for room. That others \
                   have their turn now and then is the business of ready().",
        },
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "offers all of them",
            hint: "Offer all that's left in each try. The kernel takes as much as there's room for.",
        },
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "no bytes",
            hint: "With nothing to write, there's nothing to wait for either.",
        },
        Nudge {
            at: "writes_to_a_slow_peer",
            sees: "had its turn",
            hint: "ready() lets others run after 64 waits in a row. Wait for it before each \
                   write, even if there's likely to be room.",
        },
    ],
};
