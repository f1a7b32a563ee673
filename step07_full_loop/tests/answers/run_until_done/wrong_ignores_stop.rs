        self.check_may_run()?;
        let _running = RunGuard::start(self);
        while !task.done() {
            self.run_once()?;
        }
        task.result().map_err(LoopError::Task)
