    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let Some(inner) = control.pass_on(walk) else {
            control.must_cancel.set(true);
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
