        let event_loop = self.clone();
        task.add_done_callback(move |_| event_loop.stop());
        self.run_forever()?;
        task.result().map_err(LoopError::Task)
