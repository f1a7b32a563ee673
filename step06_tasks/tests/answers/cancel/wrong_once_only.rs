    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        // A second request must not cancel the clean-up that the first one has started.
        if control.requests.get() > 1 {
            return true;
        }
        let Some(inner) = control.pass_on(walk) else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
