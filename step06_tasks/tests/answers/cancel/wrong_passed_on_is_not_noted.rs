    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let inner = if control.is_current() || control.walk.replace(walk) == walk {
            None
        } else {
            control.waits_for().filter(|inner| !inner.done())
        };
        let Some(inner) = inner else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
