//! Waiting for many: the end of a child, and the end of a group.

use scene::{Exercise, Nudge};

use super::LAST;

pub(super) const CHILD_IS_DONE: Exercise = Exercise {
    number: "8.1",
    name: "child_is_done",
    task: "Decide what the end of a child means for those that are gathered with it.",
    minutes: 15,
    only_here: LAST,
    scenes: &["an_error_nobody_sees"],
    trials: &["gatherings"],
    hints: &[
        "A gathering can be over before its last child has ended. What's left to do then, and how \
         do you notice that a child is the last one?",
        "Count each end in self.left. If self.is_over, ask the child for its exception() and \
         return, because that counts as retrieving it. Otherwise, error_of(child) ends the gathering \
         if self.errors is Errors::EndTheGathering. If no child is left, the outcome is \
         (self.collect)(children.futures()), or the error in children.cancelled(). Both ends go \
         through self.finish(outcome), which notes that it's over.",
        "\
        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            return self.finish(Err(error));
        }
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }",
    ],
    nudges: &[
        Nudge {
            at: "an_error_nobody_sees",
            sees: "bad too",
            hint: "The second error came when the gathering was over. Nothing will await that child \
                   any more, so ask it for its exception(), or the loop reports it.",
        },
        Nudge {
            at: "gatherings",
            sees: "reported",
            hint: "The error of a child was reported. If it fails when the gathering is over, ask it \
                   for its exception(), which counts as retrieving it.",
        },
        Nudge {
            at: "gatherings",
            sees: "subtract with overflow",
            hint: "Each end is counted once, whatever becomes of it.",
        },
        Nudge {
            at: "gatherings",
            sees: "pending",
            hint: "The gathering isn't over yet. Without an error that ends it, it waits for the last \
                   child, even if it was asked to end itself.",
        },
        Nudge {
            at: "gatherings",
            sees: "is done",
            hint: "The gathering is over in another tick, or with another outcome. Three things end \
                   it: an error, unless errors are results (a child's cancellation is one as well); \
                   the last child; and with the last child, a request to cancel that has reached the \
                   children comes before their results.",
        },
    ],
};

pub(super) const EXIT: Exercise = Exercise {
    number: "8.2",
    name: "exit",
    task: "End a task group: wait for its members, and say what comes out.",
    minutes: 20,
    only_here: LAST,
    scenes: &["the_errors_of_a_group", "a_group_is_cancelled", "a_group_in_a_group"],
    trials: &["groups_that_end"],
    hints: &[
        "The block has ended, and some members haven't. What if the block has failed, and what if \
         this task is cancelled while it waits for them? And which of the requests to cancel this \
         task was the group's own?",
        "After members.begin_exit(), an Err of the block calls for members.abort(). While \
         members.all_ended() returns a future, await it. If that fails, the task was cancelled: \
         abort() returns true if the group wasn't shutting down, and only then is it a cancellation \
         to pass on. Call take_back_own_request() before take_errors(error), which needs to know \
         whether anything else has asked the task to end, and takes an error of the block, but not a \
         cancellation.",
        "\
        let members = &self.members;
        members.begin_exit();
        if outcome.is_err() {
            members.abort();
        }
        let (mut cancellation, error) = match &outcome {
            Ok(_) => (None, None),
            Err(error) if error.is_cancelled() => (Some(error.clone()), None),
            Err(error) => (None, Some(error.clone())),
        };
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await
                && members.abort()
            {
                cancellation = Some(cancelled);
            }
        }
        members.take_back_own_request();
        match (members.take_errors(error), cancellation) {
            (Some(errors), _) => Err(errors.into()),
            (None, Some(cancelled)) => Err(cancelled),
            (None, None) => outcome,
        }",
    ],
    nudges: &[
        Nudge {
            at: "groups_that_end",
            sees: "again and again",
            hint: "You look again and again whether the members have ended. Await the future that \
                   all_ended() returns: it's done when the last one has.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "to the parent",
            hint: "A member has counted the requests to cancel your task. The group's own is taken back \
                   when all members have ended, and not before.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "run on",
            hint: "The group has ended, and some of its members haven't. A future of all_ended() can \
                   also end because the task was cancelled: then ask for another one, and wait again.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "the next wait",
            hint: "The next wait of the task gets another outcome. take_errors cancels the task again \
                   if it finds a request that's left. Only take_back_own_request() knows whether \
                   there's one of the group's own, which has to be taken back.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "one from outside",
            hint: "Say first that the exit begins. After that, the group takes no more members once \
                   the last one has ended.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "adds one",
            hint: "A member can add another one until all have ended or the group is aborted. abort() \
                   is for an error or a cancellation, and begin_exit() comes first.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "is cancelled",
            hint: "A member was cancelled, or wasn't. An error or a cancellation of the block aborts \
                   the group, and so does a cancellation of the wait. A good end doesn't.",
        },
        Nudge {
            at: "groups_that_end",
            sees: "has ended",
            hint: "The group ends in another tick, or with another outcome. Errors come out first, \
                   then a cancellation, then what the block has returned. A cancellation that comes \
                   while the group is shutting down isn't passed on.",
        },
    ],
};
