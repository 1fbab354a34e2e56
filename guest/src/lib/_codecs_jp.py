"""The Japanese codecs."""

from _multibytecodec import getcodec
