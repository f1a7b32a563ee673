        self.left.set(self.left.get() - 1);
        if self.is_over.get() {
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            return self.finish(Err(error));
        }
        if let Some(children) = self.children.upgrade()
            && (self.left.get() == 0 || children.cancelled().is_some())
        {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }
