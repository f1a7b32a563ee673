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
            }
            Ok(Poll::Ready(result)) => self.finish(result),
            Err(payload) => self.finish(Err(Error::panicked(&*payload))),
        }
