    if task.done() {
        return false;
    }
    let this_walk = next_walk();
    let mut next = task;
    loop {
        let inner = match next.as_task() {
            None => return next.cancel(message.cloned()),
            Some(control) => {
                control.count_request(message);
                match control.pass_on(this_walk) {
                    Some(inner) => inner,
                    None => {
                        control.cancel_at_next_step();
                        return true;
                    }
                }
            }
        };
        next = inner;
    }
