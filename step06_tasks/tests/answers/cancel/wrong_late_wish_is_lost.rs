    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let waits = control.waits_for().is_some();
        let Some(inner) = control.pass_on(walk) else {
            // If what it waits for is done, the task ends soon anyway.
            if !waits {
                control.cancel_at_next_step();
            }
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
