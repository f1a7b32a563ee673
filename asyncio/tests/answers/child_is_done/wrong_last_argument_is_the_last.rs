        let Some(children) = self.children.upgrade() else { return };
        if self.is_over.get() {
            let _ = child.exception();
            return;
        }
        if self.errors == Errors::EndTheGathering
            && let Some(error) = error_of(child)
        {
            return self.finish(Err(error));
        }
        if children.futures().last().is_none_or(Future::done) {
            let results = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or(results, Err));
        }
