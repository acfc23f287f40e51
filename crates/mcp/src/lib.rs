//! The Model Context Protocol on the wire, behind two small traits.
