    if task.done() {
        return false;
    }
    if let Some(control) = task.as_task() {
        control.count_request(message);
        match control.pass_on(next_walk()) {
            Some(inner) => return inner.cancel(message.cloned()),
            None => control.cancel_at_next_step(),
        }
    }
    true
