    if task.done() {
        return false;
    }
    let walk = next_walk();
    let outermost = Rc::clone(&task);
    let mut asked = task;
    while let Some(control) = asked.as_task() {
        control.count_request(message);
        let Some(inner) = control.pass_on(walk) else {
            if let Some(control) = outermost.as_task() {
                control.cancel_at_next_step();
            }
            return true;
        };
        asked = inner;
    }
    asked.cancel(message.cloned())
