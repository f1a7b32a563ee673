        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            let _ = child.exception();
        } else if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        } else if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            self.finish(Err(error));
        }
