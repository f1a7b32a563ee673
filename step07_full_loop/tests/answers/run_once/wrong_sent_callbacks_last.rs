        let timeout = self.core.clock.sleep_for(self.select_timeout());
        let mut events = self.core.events.take();
        self.selector().select(timeout, &mut events)?;
        let (wakeups, others): (Vec<_>, Vec<_>) =
            events.drain(..).partition(|event| matches!(event.data, Source::Wakeup));
        for event in others {
            self.process_event(event)?;
        }
        self.core.events.replace(events);
        self.queue_due_timers();
        self.core.queue.run_ready();
        for event in wakeups {
            self.process_event(event)?;
        }
        Ok(())
