    if task.done() {
        return false;
    }
    if let Some(control) = task.as_task() {
        control.count_request(message);
        control.cancel_at_next_step();
    }
    true
