        let left = self.left.get() - 1;
        self.left.set(left);
        let ends_it = self.errors == Errors::EndTheGathering || self.is_over.get();
        match ends_it.then(|| error_of(child)).flatten() {
            _ if self.is_over.get() => {}
            Some(error) => self.finish(Err(error)),
            _ if left > 0 => {}
            _ => {
                let Some(children) = self.children.upgrade() else { return };
                let collected = (self.collect)(children.futures());
                let outcome = match children.cancelled() {
                    Some(cancelled) => Err(cancelled),
                    None => collected,
                };
                self.finish(outcome);
            }
        }
