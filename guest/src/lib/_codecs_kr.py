"""The Korean codecs."""

from _multibytecodec import getcodec
