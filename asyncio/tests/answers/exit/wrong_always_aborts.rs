        let members = &self.members;
        members.begin_exit();
        members.abort();
        let (mut cancellation, mut error) = (None, None);
        if let Err(of_the_block) = &outcome {
            members.abort();
            let is_cancelled = of_the_block.is_cancelled();
            let kept = if is_cancelled { &mut cancellation } else { &mut error };
            kept.replace(of_the_block.clone());
        }
        while let Some(all_ended) = members.all_ended() {
            if let Err(cancelled) = all_ended.await
                && members.abort()
            {
                cancellation = Some(cancelled);
            }
        }
        members.take_back_own_request();
        match (members.take_errors(error), cancellation) {
            (Some(errors), _) => Err(errors.into()),
            (None, Some(cancelled)) => Err(cancelled),
            (None, None) => outcome,
        }
