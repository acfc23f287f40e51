//! Every flag, environment variable and configuration key, declared once.
