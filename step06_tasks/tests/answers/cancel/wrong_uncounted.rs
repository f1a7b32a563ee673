    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        let Some(inner) = control.pass_on(walk) else {
            control.count_request(message);
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
