        // As its `wake` does.
        Arc::clone(self).wake();
