        let members = &self.members;
        members.begin_exit();
        if outcome.is_err() {
            members.abort();
        }
        let mut cancellation = None;
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await
                && members.abort()
            {
                cancellation = Some(cancelled);
            }
        }
        members.take_back_own_request();
        let error = outcome.as_ref().err().filter(|error| !error.is_cancelled());
        match (members.take_errors(error.cloned()), cancellation) {
            (Some(errors), _) => Err(errors.into()),
            (None, Some(cancelled))
                if step06_tasks::current_task().is_some_and(|this| this.cancelling() > 0) =>
            {
                Err(cancelled)
            }
            (None, _) => outcome,
        }
