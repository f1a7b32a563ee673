        self.check_may_run()?;
        let _running = RunGuard::start(self);
        while !task.done() {
            self.run_once()?;
            if self.core.stopping.get() {
                break;
            }
        }
        if !task.done() {
            return Err(LoopError::StoppedEarly);
        }
        task.result().map_err(LoopError::Task)
