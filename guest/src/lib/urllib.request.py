"""Addresses of files as URLs, and requests as values. Nothing is ever sent: the sandbox has no network, and opening a URL says so."""

__all__ = ['Request', 'urlopen', 'urlretrieve', 'urlcleanup', 'pathname2url', 'url2pathname', 'getproxies', 'install_opener', 'build_opener',
           'parse_http_list', 'parse_keqv_list']

import re

from urllib.error import ContentTooShortError, HTTPError, URLError
from urllib.parse import quote, unquote, unwrap, urlparse, urlsplit, urldefrag as _urldefrag

__version__ = '3.14'


class Request:
    """What would be asked of a server."""

    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url = url
        self.headers = {}
        self.unredirected_hdrs = {}
        self._data = None
        self.data = data
        self._tunnel_host = None
        for key, value in headers.items():
            self.add_header(key, value)
        if origin_req_host is None:
            origin_req_host = request_host(self)
        self.origin_req_host = origin_req_host
        self.unverifiable = unverifiable
        if method:
            self.method = method

    @property
    def full_url(self):
        return f'{self._full_url}#{self.fragment}' if self.fragment else self._full_url

    @full_url.setter
    def full_url(self, url):
        self._full_url, fragment = _urldefrag(unwrap(url))
        self.fragment = fragment or None
        match = re.match('([^/:]+):(.*)', self._full_url, re.DOTALL)
        if not match:
            raise ValueError(f'unknown url type: {self.full_url!r}')
        self.type = match[1].lower()
        rest = match[2]
        match = re.match('//([^/?]*)(.*)', rest, re.DOTALL)
        self.host = None
        if match:
            self.host = unquote(match[1])
            rest = match[2]
            if rest and rest[0] != '/':
                rest = '/' + rest
        self.selector = rest

    @full_url.deleter
    def full_url(self):
        self._full_url = self.fragment = None
        self.selector = ''

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, data):
        if data != self._data:
            self._data = data
            self.remove_header('Content-length')

    @data.deleter
    def data(self):
        self.data = None

    def get_method(self):
        """Return a string indicating the HTTP request method."""
        return getattr(self, 'method', 'POST' if self.data is not None else 'GET')

    def get_full_url(self):
        return self.full_url

    def set_proxy(self, host, type):
        if self.type == 'https' and not self._tunnel_host:
            self._tunnel_host = self.host
        else:
            self.type = type
            self.selector = self.full_url
        self.host = host

    def has_proxy(self):
        return self.selector == self.full_url

    def add_header(self, key, val):
        self.headers[key.capitalize()] = val

    def add_unredirected_header(self, key, val):
        self.unredirected_hdrs[key.capitalize()] = val

    def has_header(self, header_name):
        return header_name in self.headers or header_name in self.unredirected_hdrs

    def get_header(self, header_name, default=None):
        return self.headers.get(header_name, self.unredirected_hdrs.get(header_name, default))

    def remove_header(self, header_name):
        self.headers.pop(header_name, None)
        self.unredirected_hdrs.pop(header_name, None)

    def header_items(self):
        return list({**self.unredirected_hdrs, **self.headers}.items())


def request_host(request):
    """Return request-host, as defined by RFC 2965."""
    host = urlparse(request.full_url)[1]
    if host == '':
        host = request.get_header('Host', '')
    return re.sub(r':\d+$', '', host, count=1).lower()


def urlopen(url, data=None, timeout=None, *, context=None):
    """Open the URL: without a network there is nothing to open."""
    shown = url.full_url if isinstance(url, Request) else url
    raise URLError(PermissionError(1, f'the sandbox has no network: {shown!r}'))


def urlretrieve(url, filename=None, reporthook=None, data=None):
    """Retrieve a URL into a file: as `urlopen`."""
    urlopen(url, data)


def urlcleanup():
    """Nothing was retrieved."""


def build_opener(*handlers):
    raise URLError(PermissionError(1, 'the sandbox has no network: nothing can be opened'))


def install_opener(opener):
    raise URLError(PermissionError(1, 'the sandbox has no network: nothing can be opened'))


def getproxies():
    """There is no way out, and so no proxy."""
    return {}


def pathname2url(pathname, *, add_scheme=False):
    """Convert the given local file system path to a file URL; the prefix "file:" is left out unless *add_scheme* is true."""
    if isinstance(pathname, bytes):
        encoded = quote(pathname)
    else:
        import os
        encoded = quote(os.fsencode(os.fspath(pathname)))
    # RFC 8089: a path that begins with a slash stands after an empty authority.
    if encoded.startswith('/'):
        encoded = '//' + encoded
    return 'file:' + encoded if add_scheme else encoded


def url2pathname(url, *, require_scheme=False, resolve_host=False):
    """Convert the given file URL to a local file system path; it should begin with "file:" only if *require_scheme* is true."""
    if not require_scheme:
        url = 'file:' + url
    scheme, authority, path = urlsplit(url)[:3]
    if scheme != 'file':
        raise URLError("URL is missing a 'file:' scheme")
    if authority not in ('', 'localhost'):
        raise URLError(f'file:// scheme is supported only on localhost: {authority!r}')
    return unquote(path, _file_encoding(), 'surrogateescape')


def _file_encoding():
    import sys
    return sys.getfilesystemencoding()


def parse_keqv_list(l):
    """Parse list of key=value strings where keys are not duplicated."""
    parsed = {}
    for item in l:
        key, value = item.split('=', 1)
        if value[0] == '"' and value[-1] == '"':
            value = value[1:-1]
        parsed[key] = value
    return parsed


def parse_http_list(s):
    """Parse lists as described by RFC 2068 Section 2: commas inside quotes do not separate."""
    items = []
    part = ''
    escaped = quoted = False
    for letter in s:
        if escaped:
            part += letter
            escaped = False
        elif quoted and letter == '\\':
            escaped = True
        elif letter == ',' and not quoted:
            items.append(part)
            part = ''
        else:
            quoted ^= letter == '"'
            part += letter
    if part:
        items.append(part)
    return [item.strip() for item in items]
