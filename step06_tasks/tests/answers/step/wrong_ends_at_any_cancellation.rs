        let Some(mut coroutine) = self.coroutine.take() else { return };
        self.control.begin_step();
        self.control.started.set(true);
        if let Some(cancelled) = self.control.take_cancellation() {
            return self.finish(Err(cancelled));
        }
        match self.resume(coroutine.as_mut()) {
            Ok(Poll::Pending) if self.control.ended.get() => drop(coroutine),
            Ok(Poll::Pending) => {
                self.coroutine.replace(Some(coroutine));
                self.control.deliver_late_cancel();
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(panic) => self.finish(Err(Error::panicked(&*panic))),
        }
