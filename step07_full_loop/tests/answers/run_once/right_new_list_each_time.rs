        let mut events = Vec::new();
        let wanted = self.select_timeout();
        let timeout = self.core.clock.sleep_for(wanted);
        self.selector().select(timeout, &mut events)?;
        events.into_iter().try_for_each(|event| self.process_event(event))?;
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())
