        let left = self.left.get() - 1;
        self.left.set(left);
        let error = error_of(child);
        match (error, self.errors) {
            _ if self.is_over.get() => {}
            (Some(error), Errors::EndTheGathering) => self.finish(Err(error)),
            _ if left > 0 => {}
            _ => {
                let Some(children) = self.children.upgrade() else { return };
                let outcome = match children.cancelled() {
                    Some(cancelled) => Err(cancelled),
                    None => (self.collect)(children.futures()),
                };
                self.finish(outcome);
            }
        }
