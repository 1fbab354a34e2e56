"""The warnings functions under the name that the import machinery asks for; `warnings` itself is in Python."""

from _py_warnings import warn, warn_explicit
