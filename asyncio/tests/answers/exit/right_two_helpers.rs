        async fn until_all_ended(members: &Members) -> Option<step06_tasks::Error> {
            let mut first = None;
            while let Some(all_ended) = members.all_ended() {
                let ended = all_ended.await;
                let Err(cancelled) = ended else { continue };
                if members.abort() {
                    first = Some(cancelled);
                }
            }
            first
        }
        let members = &self.members;
        members.begin_exit();
        let (error, is_cancelled) = match &outcome {
            Ok(_) => (None, false),
            Err(error) => (Some(error.clone()), error.is_cancelled()),
        };
        if error.is_some() {
            members.abort();
        }
        let later = until_all_ended(members).await;
        members.take_back_own_request();
        if let Some(errors) = members.take_errors(error.filter(|_| !is_cancelled)) {
            return Err(errors.into());
        }
        later.map_or(outcome, Err)
