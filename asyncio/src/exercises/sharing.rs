//! What a task owes the next one in line: a permit, a lock, an item.

use scene::{Exercise, Nudge};

use super::LAST;

pub(super) const PASS_ON: Exercise = Exercise {
    number: "8.4",
    name: "pass_on",
    task: "Pass on a permit that a task was given, but doesn't take.",
    minutes: 15,
    only_here: LAST,
    scenes: &["a_permit_goes_to_the_first_in_line", "a_cancelled_waiter_passes_its_permit_on"],
    trials: &["permits_are_passed_on", "permits_and_other_wakers"],
    hints: &[
        "A wait can be over in three ways: the task goes on with its permit, it was given one and \
         is cancelled before it runs, or it's cancelled before it was given any. In which of them is \
         there a permit too many, and who waits for it?",
        "self.place.leave() leaves the line, and self.place.was_woken() tells whether the task was \
         given a permit. The semaphore has the free ones in its cell value, and give_to_next() \
         takes one of them and gives it to the next task, or returns false. Others may have been \
         released meanwhile, so repeat that until there are no permits or no tasks.",
        "\
        let semaphore = self.semaphore;
        self.place.leave();
        if !self.has_its_permit && self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.value() > 0 && semaphore.give_to_next() {}",
    ],
    nudges: &[
        Nudge {
            at: "a_permit_goes_to_the_first_in_line",
            sees: "subtract with overflow",
            hint: "give_to_next() takes a free permit, so ask first whether there's one.",
        },
        Nudge {
            at: "a_cancelled_waiter_passes_its_permit_on",
            sees: "subtract with overflow",
            hint: "give_to_next() takes a free permit, so there has to be one. First add the one \
                   that this task doesn't take.",
        },
        Nudge {
            at: "a_cancelled_waiter_passes_its_permit_on",
            sees: "nothing woke it",
            hint: "C waits forever. B's permit has to become free, and then give_to_next() has to \
                   give it to C.",
        },
        Nudge {
            at: "permits_are_passed_on",
            sees: "acquired",
            hint: "A permit went to a task too late, too early, or not at all. Only a task that \
                   was woken has been given one, and keeps it if has_its_permit is true. And more \
                   than one can be free, also when this task has got its own.",
        },
        Nudge {
            at: "permits_and_other_wakers",
            sees: "its waker",
            hint: "give_to_next() runs a waker, and that can begin a wait, end one, or take a permit. So \
                   don't count permits or tasks before. Ask for each permit whether it's there.",
        },
        Nudge {
            at: "permits_and_other_wakers",
            sees: "subtract with overflow",
            hint: "A waker has taken a permit, or has given one on, while give_to_next() ran. Ask for \
                   each permit whether it's still there.",
        },
        Nudge {
            at: "permits_are_passed_on",
            sees: "still waiting",
            hint: "There's a free permit, and a task that waits for it. Was it given to the task \
                   that's just leaving? And is give_to_next() called until it returns false?",
        },
    ],
};

pub(super) const ACQUIRE: Exercise = Exercise {
    number: "8.5",
    name: "acquire",
    task: "Lock a lock, or wait for it behind the tasks that asked before.",
    minutes: 15,
    only_here: LAST,
    scenes: &["who_gets_the_lock", "a_lost_update"],
    trials: &["locks_of_many_tasks"],
    hints: &[
        "When does a task have to wait, although the lock isn't locked? And what has to happen if \
         it's woken, and then cancelled?",
        "self.waiters.any_live() tells whether there's a task in the line that isn't cancelled. \
         self.waiters.join(self.bound.create_future()?) makes a place in it. Put the place into a \
         Turn, whose destructor leaves the line and wakes the next task if the lock is free. So \
         keep the turn until you've locked it.",
        "\
        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())",
    ],
    nudges: &[
        Nudge {
            at: "who_gets_the_lock",
            sees: "nothing woke it",
            hint: "A task waits for a lock that's free. A free lock without a line needs no wait. And \
                   if the task that was woken doesn't lock it, its Turn has to wake the next one.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "where no loop runs",
            hint: "Only a task that waits needs a future, and so a loop. A free lock can be locked \
                   anywhere.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "in another loop",
            hint: "A lock belongs to the loop in which a task first waited. \
                   self.bound.create_future() checks that.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "once it's woken",
            hint: "A task that's cancelled can lock a free lock, too. Only a wait tells it that it's \
                   cancelled, and there's nothing to wait for.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "after it was cancelled",
            hint: "A task that was cancelled may have to clean up, and needs the lock for that. Leave \
                   it to the waits to tell a task that it's cancelled.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "acquired",
            hint: "A task has the lock that shouldn't, or hasn't, although it's its turn. A task \
                   that asks while others wait goes behind them, unless all of those are cancelled. \
                   And the lock has to be locked before the Turn is dropped.",
        },
        Nudge {
            at: "locks_of_many_tasks",
            sees: "still waiting",
            hint: "The lock is free, and a task waits for it. The task that was woken hasn't \
                   locked it, and hasn't woken the next one: that's what a Turn is for.",
        },
    ],
};

pub(super) const WAIT_UNTIL: Exercise = Exercise {
    number: "8.6",
    name: "wait_until",
    task: "Let a task wait until a queue has an item, or room.",
    minutes: 15,
    only_here: LAST,
    scenes: &["a_full_queue_holds_its_producer"],
    trials: &["queues_of_many_tasks"],
    hints: &[
        "A task is woken because there's an item. Is it still there when the task runs? And what \
         does a task find that's woken because the queue was shut down?",
        "Ask can_go_on() before each wait, and then self.check_not_shut_down()?. To wait, make a \
         place by waiters.join(self.bound.create_future()?), put it into a Turn, and wait for \
         turn.place. A turn that's dropped before its is_over is true wakes the next task.",
        "\
        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
            turn.place.wait().await?;
            turn.is_over = true;
        }
        Ok(())",
    ],
    nudges: &[
        Nudge {
            at: "queues_of_many_tasks",
            sees: "the queue is empty",
            hint: "A task was woken for an item, but another task has taken it before. Then it has \
                   to wait again: ask can_go_on() after each wait, too.",
        },
        Nudge {
            at: "queues_of_many_tasks",
            sees: "the queue is full",
            hint: "A task was woken for room, but another task has used it before. Then it has to \
                   wait again: ask can_go_on() after each wait, too.",
        },
        Nudge {
            at: "queues_of_many_tasks",
            sees: "the queue was shut down",
            hint: "A queue that's shut down still hands out its items. A task fails only if there's \
                   nothing for it, and then it fails at once instead of waiting.",
        },
        Nudge {
            at: "queues_of_many_tasks",
            sees: "where no loop runs",
            hint: "Only a task that waits needs a future, and so a loop.",
        },
        Nudge {
            at: "queues_of_many_tasks",
            sees: "in another loop",
            hint: "A queue belongs to the loop in which a task first waited. \
                   self.bound.create_future() checks that.",
        },
        Nudge {
            at: "queues_of_many_tasks",
            sees: "still waiting",
            hint: "There's an item or room, and a task that waits for it. The task that was woken \
                   for it was cancelled, and hasn't woken the next one: that's what a Turn is for. \
                   A task that has to wait again needs a Turn that isn't over yet.",
        },
    ],
};
