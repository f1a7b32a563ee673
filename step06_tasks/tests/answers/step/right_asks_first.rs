        self.control.begin_step();
        let coroutine = self.coroutine.take();
        let cancelled_early = self.cancelled_before_its_first_step();
        let outcome = match (coroutine, cancelled_early) {
            (None, _) => return,
            (Some(_), Some(cancelled)) => Err(cancelled),
            (Some(mut coroutine), None) => match self.resume(coroutine.as_mut()) {
                Err(panic) => Err(Error::panicked(&*panic)),
                Ok(Poll::Ready(result)) => result,
                Ok(Poll::Pending) if self.control.ended.get() => return,
                Ok(Poll::Pending) => {
                    self.coroutine.replace(Some(coroutine));
                    return self.control.deliver_late_cancel();
                }
            },
        };
        self.finish(outcome);
