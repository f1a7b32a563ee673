    if task.done() {
        return false;
    }
    fn ask(task: Rc<dyn Awaited>, walk: u32, message: Option<&Arc<str>>) {
        let Some(control) = task.as_task() else {
            task.cancel(message.cloned());
            return;
        };
        control.count_request(message);
        match control.pass_on(walk) {
            Some(inner) => ask(inner, walk, message),
            None => control.cancel_at_next_step(),
        }
    }
    ask(task, next_walk(), message);
    true
