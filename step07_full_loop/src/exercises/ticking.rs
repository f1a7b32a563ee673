//! The tick, and how a run of them ends.

use scene::{Exercise, Nudge};

use super::LAST_STEP;

pub(super) const SELECT_TIMEOUT: Exercise = Exercise {
    number: "7.1",
    name: "select_timeout",
    task: "Return how long the selector can sleep.",
    minutes: 10,
    only_here: LAST_STEP,
    scenes: &["select_timeout_cases"],
    trials: &["how_long_it_can_sleep"],
    hints: &[
        "Three cases: there is work, there is a timer, there is neither. Which of them is None?",
        "Work is a queue that isn't empty, and also a stop that was asked for: the tick that \
         carries it out must not sleep. The heap's next_timeout(self.time()) gives the time \
         until the nearest timer, if there is one; LONGEST_SLEEP limits only that.",
        "\
        let is_busy = !self.core.queue.is_empty();
        if is_busy || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let now = self.time();
        let nearest = self.core.timers.borrow_mut().next_timeout(now);
        nearest.map(|timeout| timeout.min(LONGEST_SLEEP))",
    ],
    nudges: &[
        Nudge {
            at: "how_long_it_can_sleep",
            sees: "stop()",
            hint: "The loop was asked to stop, and the tick that carries that out can't sleep. \
                   self.core.stopping knows.",
        },
        Nudge {
            at: "how_long_it_can_sleep",
            sees: "call_soon",
            hint: "There's work, whatever the timers say: even a cancelled callback is still in \
                   the queue. self.core.queue.is_empty() also looks at what has been sent.",
        },
    ],
};

pub(super) const RUN_ONCE: Exercise = Exercise {
    number: "7.2",
    name: "run_once",
    task: "Write the tick: sleep, collect what happened, run what is ready.",
    minutes: 30,
    only_here: LAST_STEP,
    scenes: &["order_in_a_tick", "self_scheduling_callback", "stop_finishes_the_tick"],
    trials: &["one_tick_after_another", "how_a_tick_waits"],
    hints: &[
        "The order is at the top of the file. Which of the five steps runs callbacks and \
         coroutines, and what do the others do with them?",
        "The selector takes a Vec and fills it: lend it the one in self.core.events, and put it \
         back empty. Ask self.core.clock.sleep_for(...) what the timeout becomes on this \
         loop's clock. Each event goes to self.process_event(event)?. Hold no borrow() while \
         the queue runs: a callback may use the loop.",
        "\
        let wanted = self.select_timeout();
        let timeout = self.core.clock.sleep_for(wanted);
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        for event in events.drain(..) {
            self.process_event(event)?;
        }
        self.core.events.replace(events);
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())",
    ],
    nudges: &[
        Nudge {
            at: "one_tick_after_another",
            sees: "is dropped",
            hint: "The loop was closed, but a reader's callback is still alive. Are the events \
                   of the last tick still in the list? Each holds the callback it's for.",
        },
        Nudge {
            at: "one_tick_after_another",
            sees: "already borrowed",
            hint: "A callback used the loop while your tick had a part of it borrowed: the \
                   selector or the timers. Let go before the queue runs.",
        },
        Nudge {
            at: "one_tick_after_another",
            sees: "timer",
            hint: "Descriptors come before timers, and both behind what was in the queue. And \
                   the timers that are due come in every tick, even if there were events.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "with a timeout of",
            hint: "A virtual clock moves only in clock.sleep_for(…), which says how long the selector \
                   really sleeps. Without it, the kernel sleeps, and no time passes for the loop.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "still has its readers",
            hint: "An event failed, and later the loop was closed, but a reader's callback is still \
                   alive. Empty the list of events whatever becomes of the tick: each event holds the \
                   callback it's for.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "whose drain fails",
            hint: "One event of several has failed. Then the tick fails, with that error, and it makes \
                   no difference which of them it was.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "readers are ready",
            hint: "All events that the selector brings belong to this tick, however many they are.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "the clock says",
            hint: "The loop tells the clock how long it could sleep, and the clock answers how long the \
                   selector sleeps: shorter, longer or forever. Hand that on as it is.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "the next tick",
            hint: "An event woke somebody who made a timer that's due at once. The timers that are due \
                   come behind the events in every tick, whatever the loop knew when it went to sleep.",
        },
        Nudge {
            at: "how_a_tick_waits",
            sees: "fails with errno",
            hint: "The selector's error has to end the tick, and the run: the loop can't sleep \
                   without it, so it would look in vain for ever.",
        },
    ],
};

pub(super) const RUN_UNTIL_DONE: Exercise = Exercise {
    number: "7.3",
    name: "run_until_done",
    task: "Run the loop until a task is done, or until the loop is stopped.",
    minutes: 15,
    only_here: LAST_STEP,
    scenes: &["one_loop_at_a_time"],
    trials: &["runs_until_done"],
    hints: &[
        "You don't need another loop for this: what makes run_forever end, and when should it?",
        "task.add_done_callback(...) can stop a clone of this loop. Afterwards the task can \
         still be pending, if another callback called stop(): that's LoopError::StoppedEarly. \
         And then your callback is still waiting for the task. What does it do to a later run?",
        "\
        let waits = Rc::new(Cell::new(true));
        let (event_loop, still_waits) = (self.clone(), Rc::clone(&waits));
        task.add_done_callback(move |_| {
            if still_waits.get() {
                event_loop.stop();
            }
        });
        let outcome = self.run_forever();
        waits.set(false);
        outcome?;
        if task.done() {
            task.result().map_err(LoopError::Task)
        } else {
            Err(LoopError::StoppedEarly)
        }",
    ],
    nudges: &[
        Nudge {
            at: "runs_until_done",
            sees: "next wait",
            hint: "The loop itself has failed, so its error is yours, even if the task is done. If the \
                   task has failed too, nobody gets to know its error: so don't ask for it, and it will \
                   be reported.",
        },
        Nudge {
            at: "runs_until_done",
            sees: "StoppedEarly",
            hint: "A run was stopped early, or not, and yours says the opposite. If it's the \
                   second run: the first run's callback is still waiting for its task, and \
                   must not stop any other run. Let it look at an Rc<Cell<bool>>.",
        },
        Nudge {
            at: "runs_until_done",
            sees: "returns Ok(())",
            hint: "The second run ended before its time: the first run's callback has stopped \
                   it. Let it look at an Rc<Cell<bool>> that you clear when your run is over.",
        },
        Nudge {
            at: "runs_until_done",
            sees: "tick",
            hint: "Count the ticks. A callback on the task's end runs in the tick after the \
                   task's last step, and the loop ends with that tick.",
        },
    ],
};
