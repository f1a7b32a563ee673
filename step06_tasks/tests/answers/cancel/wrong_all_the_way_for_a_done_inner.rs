    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let inner = control.pass_on(walk).or_else(|| control.waits_for());
        let Some(inner) = inner else {
            control.cancel_at_next_step();
            return true;
        };
        if inner.done() {
            return true;
        }
        asked = inner;
    }
    asked.cancel(message.cloned())
