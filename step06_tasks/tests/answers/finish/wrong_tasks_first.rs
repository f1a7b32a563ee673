        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the result is already set"));
        }
        self.state().outcome.replace(Some(outcome));
        let (tasks, callbacks): (Vec<_>, Vec<_>) = self
            .callbacks
            .take()
            .into_iter()
            .partition(|callback| matches!(callback, Callback::Wake(_)));
        self.schedule(tasks);
        self.schedule(callbacks);
        Ok(())
