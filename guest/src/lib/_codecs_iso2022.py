"""The shifting codecs."""

from _multibytecodec import getcodec
