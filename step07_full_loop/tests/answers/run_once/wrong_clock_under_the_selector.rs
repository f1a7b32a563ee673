        let mut events = self.core.events.take();
        self.selector()
            .select(self.core.clock.sleep_for(self.select_timeout()), &mut events)?;
        for event in events.drain(..) {
            self.process_event(event)?;
        }
        self.core.events.replace(events);
        self.queue_due_timers();
        self.core.queue.run_ready();
        Ok(())
