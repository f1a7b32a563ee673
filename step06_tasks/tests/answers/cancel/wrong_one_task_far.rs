    if task.done() {
        return false;
    }
    let walk = next_walk();
    if let Some(control) = task.as_task() {
        control.count_request(message);
        match control.pass_on(walk) {
            None => control.cancel_at_next_step(),
            Some(inner) => match inner.as_task() {
                Some(control) => {
                    control.count_request(message);
                    control.cancel_at_next_step();
                }
                None => {
                    inner.cancel(message.cloned());
                }
            },
        }
    }
    true
