        self.left.set(self.left.get() - 1);
        if self.left.get() > 0 || self.is_over.get() {
            return;
        }
        if let Some(children) = self.children.upgrade() {
            let first = children.futures().iter().find_map(error_of);
            match (first, self.errors) {
                (Some(error), Errors::EndTheGathering) => self.finish(Err(error)),
                _ => {
                    let results = (self.collect)(children.futures());
                    self.finish(children.cancelled().map_or(results, Err));
                }
            }
        }
