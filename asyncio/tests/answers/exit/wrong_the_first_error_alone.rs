        let members = &self.members;
        members.begin_exit();
        if outcome.is_err() {
            members.abort();
        }
        let (mut cancellation, error) = match &outcome {
            Ok(_) => (None, None),
            Err(error) if error.is_cancelled() => (Some(error.clone()), None),
            Err(error) => (None, Some(error.clone())),
        };
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await
                && members.abort()
            {
                cancellation = Some(cancelled);
            }
        }
        members.take_back_own_request();
        match (members.take_errors(error), cancellation) {
            (Some(errors), _) => Err(errors.exceptions()[0].clone()),
            (None, Some(cancelled)) => Err(cancelled),
            (None, None) => outcome,
        }
