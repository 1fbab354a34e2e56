"""The Taiwanese codecs."""

from _multibytecodec import getcodec
