//! Limits in time, and whose cancellation is whose.

use scene::{Exercise, Nudge};

use super::LAST;

pub(super) const END_BLOCK: Exercise = Exercise {
    number: "8.3",
    name: "end_block",
    task: "End the block of a time limit, and find out whether its cancellation was the limit's own.",
    minutes: 15,
    only_here: LAST,
    scenes: &["nested_timeouts", "a_timeout_and_a_cancellation", "a_late_block"],
    trials: &["limits_in_time"],
    hints: &[
        "The count of requests can be above zero for two reasons that have nothing to do with this \
         limit. Which are they? And what would a second call of this function do?",
        "self.deadline.cancel_alarm() stops the timer, and self.deadline.task.take() lets go of the \
         task. Then look at self.deadline.state: only State::Expiring has a request to take back, \
         and becomes Expired. self.task.uncancel() returns how many are left, and self.cancelling \
         is how many there were before the block. State::Active becomes Finished. In the other \
         states, the block has ended before.",
        "\
        self.deadline.cancel_alarm();
        self.deadline.task.take();
        let state = &self.deadline.state;
        if state.get() == State::Active {
            state.set(State::Finished);
        }
        if state.get() != State::Expiring {
            return false;
        }
        state.set(State::Expired);
        self.task.uncancel() <= self.cancelling",
    ],
    nudges: &[
        Nudge {
            at: "limits_in_time",
            sees: "could sleep",
            hint: "A timer is left over: the block has ended before its deadline. Stop the alarm.",
        },
        Nudge {
            at: "limits_in_time",
            sees: "references",
            hint: "A limit that has ended still holds the task, and with it the task's result. Take \
                   it out of self.deadline.task.",
        },
        Nudge {
            at: "limits_in_time",
            sees: "Timeout",
            hint: "After its block, a limit has expired or it's finished, and can't get another \
                   deadline. It has expired if it has cancelled the task, whatever came of that.",
        },
        Nudge {
            at: "limits_in_time",
            sees: "requests",
            hint: "Another number of requests is left. A limit takes back one request, if it has made \
                   one, whether the block has ended or was dropped, and whoever drops it: self.task has \
                   the task. This is called a second time when the guard is dropped.",
        },
        Nudge {
            at: "nested_timeouts",
            sees: "",
            hint: "If another request is left that has come since the block began, the cancellation \
                   is passed on. Compare what uncancel() returns with self.cancelling.",
        },
        Nudge {
            at: "limits_in_time",
            sees: "",
            hint: "A cancellation belongs to the limit if its time was up, and if after uncancel() \
                   there are no more requests than before the block, which is self.cancelling.",
        },
    ],
};
