    if task.done() {
        return false;
    }
    let walk = next_walk();
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.requests.update(|count| count + 1);
        if control.cancel_message().is_none() {
            control.set_cancel_message(message.cloned());
        }
        let Some(inner) = control.pass_on(walk) else {
            control.cancel_at_next_step();
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
