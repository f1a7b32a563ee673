        self.members.begin_exit();
        let mut outcome = outcome;
        if outcome.is_err() {
            self.members.abort();
        }
        loop {
            let Some(all_ended) = self.members.all_ended() else { break };
            match all_ended.await {
                Err(cancelled) if self.members.abort() => outcome = Err(cancelled),
                _ => {}
            }
        }
        let _ = self.members.take_back_own_request();
        let of_the_block = match &outcome {
            Err(error) if !error.is_cancelled() => Some(error.clone()),
            _ => None,
        };
        let errors = self.members.take_errors(of_the_block);
        errors.map_or(outcome, |errors| Err(errors.into()))
