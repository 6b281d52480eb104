//! npm bindings.
