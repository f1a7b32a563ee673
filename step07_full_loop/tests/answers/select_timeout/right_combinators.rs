        let core = &self.core;
        let has_work = !core.queue.is_empty() || core.stopping.get();
        if has_work {
            Some(Duration::ZERO)
        } else {
            let now = core.clock.now();
            let mut timers = core.timers.borrow_mut();
            timers.next_timeout(now).map(|wait| Duration::min(wait, LONGEST_SLEEP))
        }
