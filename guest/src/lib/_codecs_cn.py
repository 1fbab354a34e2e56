"""The Chinese codecs."""

from _multibytecodec import getcodec
