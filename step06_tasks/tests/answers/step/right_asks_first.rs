        self.control.begin_step();
        let coroutine = self.coroutine.take();
        let cancelled_early = self.is_cancelled_before_its_first_step();
        let outcome = match coroutine {
            None => return,
            Some(_) if cancelled_early => Err(Error::Cancelled),
            Some(mut coroutine) => match self.resume(coroutine.as_mut()) {
                Err(panic) => Err(Error::panicked(&*panic)),
                Ok(Poll::Ready(result)) => result,
                Ok(Poll::Pending) => {
                    self.coroutine.replace(Some(coroutine));
                    return self.control.deliver_late_cancel();
                }
            },
        };
        self.finish(outcome);
