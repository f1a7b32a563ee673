        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = ask_current(|task| Some(Rc::clone(task)))
            .map_or_else(|| self.callback_for(context.waker()), |task| Callback::Task(task.control().id));
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending
