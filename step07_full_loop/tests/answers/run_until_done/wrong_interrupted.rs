        let event_loop = self.clone();
        task.add_done_callback(move |_| event_loop.stop());
        self.run_forever()?;
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(|error| match error {
            step06_tasks::Error::Cancelled(_) => LoopError::Interrupted,
            error => LoopError::Task(error),
        })
