        let is_over = self.outer.upgrade().is_none_or(|outer| outer.done());
        if is_over || self.errors == Errors::EndTheGathering {
            match child.exception() {
                Ok(None) => {}
                _ if is_over => return,
                Ok(Some(error)) | Err(error) => return self.finish(Err(error)),
            }
        }
        self.left.set(self.left.get().saturating_sub(1));
        if !is_over && self.left.get() == 0 {
            let Some(children) = self.children.upgrade() else { return };
            let outcome = (self.collect)(children.futures());
            self.finish(children.cancelled().map_or_else(|| outcome, Err));
        }
