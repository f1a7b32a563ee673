        let members = &self.members;
        members.begin_exit();
        let mut propagate = outcome.as_ref().err().filter(|error| error.is_cancelled()).cloned();
        if outcome.is_err() {
            members.abort();
        }
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await {
                if members.abort() {
                    propagate = Some(cancelled);
                }
            }
        }
        members.take_back_own_request();
        let error = outcome.as_ref().err().filter(|error| !error.is_cancelled()).cloned();
        if let Some(errors) = members.take_errors(error) {
            return Err(errors.into());
        }
        match propagate {
            Some(cancelled) => Err(cancelled),
            None => outcome,
        }
