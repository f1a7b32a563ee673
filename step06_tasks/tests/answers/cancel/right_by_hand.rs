    if task.done() {
        return false;
    }
    let number = next_walk();
    let mut at = task;
    while let Some(control) = at.as_task() {
        control.requests.update(|count| count + 1);
        control.set_cancel_message(message.cloned());
        match control.pass_on(number) {
            Some(inner) => at = inner,
            None => {
                control.must_cancel.set(true);
                if !control.is_current() {
                    control.wake();
                }
                return true;
            }
        }
    }
    at.cancel(message.cloned());
    true
