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
        if self.left.get() == 0
            && let Some(children) = self.children.upgrade()
        {
            self.finish((self.collect)(children.futures()));
        }
