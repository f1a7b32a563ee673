//! Calling a protocol. It's the program's own code: it can fail or panic, and use its transport
//! meanwhile. So nothing is borrowed, and what goes wrong has an end here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use step06_tasks::{Error, ExceptionContext, Result};

use super::{Protocol, Transport};

impl Transport {
    /// Calls a method of the protocol. Its panic is an error like any other.
    pub(super) fn call<T: Default>(
        &self,
        method: impl FnOnce(&dyn Protocol) -> Result<T>,
    ) -> Result<T> {
        let protocol = self.connection.protocol.borrow().clone();
        match protocol {
            Some(protocol) => Transport::call_and_drop(protocol, method),
            None => Ok(T::default()),
        }
    }

    /// Calls a method by a callback. If it fails, so does the callback, and the connection goes on.
    pub(super) fn call_unless_lost(&self, method: impl FnOnce(&dyn Protocol) -> Result<()>) {
        if let Err(error) = self.call(method) {
            self.report("Exception in callback", error);
        }
    }

    pub(super) fn report(&self, message: &str, error: Error) {
        let context = ExceptionContext::new(message).with_exception(error);
        self.event_loop().call_exception_handler(&context);
    }

    /// Calls a method, and drops the handle to the protocol, which can be the last one: a panic of its
    /// destructor is an error, too.
    pub(super) fn call_and_drop<T>(
        protocol: Rc<dyn Protocol>,
        method: impl FnOnce(&dyn Protocol) -> Result<T>,
    ) -> Result<T> {
        let call = AssertUnwindSafe(move || method(&*protocol));
        catch_unwind(call).unwrap_or_else(|payload| Err(Error::from_panic(payload)))
    }
}
