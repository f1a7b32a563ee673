        self.control.begin_step();
        if let Some(cancelled) = self.cancelled_before_its_first_step() {
            drop(self.coroutine.take());
            return self.finish(Err(cancelled));
        }
        let Some(mut coroutine) = self.coroutine.take() else {
            return;
        };
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => {
                drop(coroutine);
                self.finish(result);
            }
            // The queue catches it, as it does a callback's panic.
            Err(payload) => std::panic::resume_unwind(payload),
        }
