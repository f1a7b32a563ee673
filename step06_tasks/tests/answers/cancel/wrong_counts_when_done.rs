    if let Some(control) = task.as_task() {
        control.count_request(message);
    }
    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    let mut is_first = true;
    while let Some(control) = asked.as_task() {
        if !std::mem::take(&mut is_first) {
            control.count_request(message);
        }
        let Some(inner) = control.pass_on(walk) else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
