        self.left.set(self.left.get() - 1);
        let error = error_of(child);
        if self.is_over.get() {
            return;
        }
        if let Some(error) = error
            && self.errors == Errors::EndTheGathering
        {
            return self.finish(Err(error));
        }
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }
