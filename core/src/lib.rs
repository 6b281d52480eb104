//! Skillglass core.
