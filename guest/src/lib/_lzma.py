"""The compressor and decompressor objects of `lzma`, over the native coder; filters are checked and given their defaults here."""

import _lzma_core

FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW = range(4)
CHECK_NONE, CHECK_CRC32, CHECK_CRC64, CHECK_SHA256, CHECK_ID_MAX, CHECK_UNKNOWN = 0, 1, 4, 10, 15, 16
FILTER_LZMA1, FILTER_LZMA2, FILTER_DELTA = 0x4000000000000001, 0x21, 3
FILTER_X86, FILTER_POWERPC, FILTER_IA64, FILTER_ARM, FILTER_ARMTHUMB, FILTER_SPARC = 4, 5, 6, 7, 8, 9
MF_HC3, MF_HC4, MF_BT2, MF_BT3, MF_BT4 = 3, 4, 0x12, 0x13, 0x14
MODE_FAST, MODE_NORMAL = 1, 2
PRESET_DEFAULT, PRESET_EXTREME = 6, 1 << 31

_BRANCHES = (FILTER_X86, FILTER_POWERPC, FILTER_IA64, FILTER_ARM, FILTER_ARMTHUMB, FILTER_SPARC)
_FAULTS = (None, 'Input format not supported by decoder', 'Invalid or unsupported options', 'Corrupt input data',
           'Memory usage limit exceeded')
# Of each level: the size of the dictionary, the length that is long enough, and how many places are looked at.
_LEVELS = ((1 << 18, 128, 4), (1 << 20, 128, 8), (1 << 21, 273, 16), (1 << 22, 273, 24), (1 << 22, 16, 12), (1 << 23, 32, 24),
           (1 << 23, 64, 48), (1 << 24, 64, 48), (1 << 25, 64, 48), (1 << 26, 64, 48))
_LZMA_KEYS = ('dict_size', 'lc', 'lp', 'pb', 'mode', 'nice_len', 'mf', 'depth')


class LZMAError(Exception):
    """Call to liblzma failed."""

    __module__ = '_lzma'


def _checked(made):
    if isinstance(made, int):
        raise LZMAError(_FAULTS[made])
    return made


def _number(value, bits=32):
    """An unsigned number of so many bits."""
    if not hasattr(value, '__index__'):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    value = value.__index__()
    if value < 0:
        raise OverflowError("can't convert negative value to unsigned int")
    if value >> bits:
        raise OverflowError(f'Value too large for uint{bits}_t type')
    return value


def _preset(preset):
    preset = _number(preset)
    level = preset & 31
    if level > 9 or preset & ~(31 | PRESET_EXTREME):
        raise LZMAError(f'Invalid compression preset: {preset}')
    dict_size, nice, depth = _LEVELS[level]
    if preset & PRESET_EXTREME:
        nice, depth = 273 if level in (3, 5) or level < 3 else 192, 128
    return {'dict_size': dict_size, 'lc': 3, 'lp': 0, 'pb': 2, 'mode': MODE_NORMAL, 'nice_len': nice, 'mf': MF_BT4, 'depth': depth}


def _specifier(spec, allowed):
    for key in spec:
        if key != 'id' and key not in allowed:
            raise ValueError('Invalid filter specifier for LZMA filter' if 'preset' in allowed else
                             'Invalid filter specifier for delta filter' if 'dist' in allowed else
                             'Invalid filter specifier for BCJ filter')


def _filter(spec):
    """The native form of a filter and, for the last one, its options."""
    if not hasattr(spec, 'keys'):
        raise TypeError('Filter specifier must be a dict or dict-like object')
    try:
        number = spec['id']
    except KeyError:
        raise ValueError('Filter specifier must have an "id" entry') from None
    number = _number(number, 64)
    if number in (FILTER_LZMA1, FILTER_LZMA2):
        _specifier(spec, ('preset', *_LZMA_KEYS))
        options = _preset(spec['preset'] if 'preset' in spec else PRESET_DEFAULT)
        for key in _LZMA_KEYS:
            if key in spec:
                options[key] = _number(spec[key])
        if not options['depth']:
            options['depth'] = 48
        return (number, options['dict_size'], options['lc'], options['lp'], options['pb']), options
    if number == FILTER_DELTA:
        _specifier(spec, ('dist',))
        return (number, _number(spec['dist']) if 'dist' in spec else 1), None
    if number in _BRANCHES:
        _specifier(spec, ('start_offset',))
        return (number, _number(spec['start_offset']) if 'start_offset' in spec else 0), None
    raise ValueError(f'Invalid filter ID: {number}')


def _chain(filters):
    if not hasattr(filters, '__getitem__') or not hasattr(filters, '__len__'):
        raise TypeError(f"object of type '{type(filters).__name__}' has no len()")
    if len(filters) > 4:
        raise ValueError('Too many filters - liblzma supports a maximum of 4')
    links, last = [], None
    for i in range(len(filters)):
        link, last = _filter(filters[i])
        links.append(link)
    return links, last


def is_check_supported(check_id, /):
    """Test whether the given integrity check is supported."""
    return check_id in (CHECK_NONE, CHECK_CRC32, CHECK_CRC64, CHECK_SHA256)


def _encode_filter_properties(filter, /):
    """Return a bytes object encoding the options (properties) of the filter specified by *filter* (a dict)."""
    link, _ = _filter(filter)
    return _checked(_lzma_core.encode_properties([link]))


def _decode_filter_properties(filter_id, encoded_props, /):
    """Return a dict describing a filter with ID *filter_id*, and options (properties) decoded from the bytes object *encoded_props*."""
    if not isinstance(encoded_props, (bytes, bytearray, memoryview)):
        raise TypeError(f"a bytes-like object is required, not '{type(encoded_props).__name__}'")
    numbers = _checked(_lzma_core.decode_properties(filter_id, encoded_props))
    if filter_id == FILTER_LZMA1:
        names = ('dict_size', 'lc', 'lp', 'pb')
    elif filter_id == FILTER_LZMA2:
        names = ('dict_size',)
    elif filter_id == FILTER_DELTA:
        names = ('dist',)
    else:
        names = ('start_offset',) if encoded_props else ()
    return {'id': filter_id, **dict(zip(names, numbers))}


def _refuse_pickle(self, protocol):
    raise TypeError(f"cannot pickle '{type(self).__module__}.{type(self).__qualname__}' object")


class LZMACompressor:
    """LZMACompressor(format=FORMAT_XZ, check=-1, preset=None, filters=None)

    Create a compressor object for compressing data incrementally.
    """

    def __init__(self, format=FORMAT_XZ, check=-1, preset=None, filters=None):
        for value in (format, check):
            if not hasattr(value, '__index__'):
                raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
        if preset is not None and filters is not None:
            raise ValueError('Cannot specify both preset and filter chain')
        if check != -1 and format != FORMAT_XZ:
            raise ValueError('Integrity checks are only supported by FORMAT_XZ')
        if preset is None:
            preset = PRESET_DEFAULT
        if format == FORMAT_XZ:
            if check == -1:
                check = CHECK_CRC64
            if not is_check_supported(check):
                raise LZMAError('Unsupported integrity check')
        elif format == FORMAT_RAW:
            if filters is None:
                raise ValueError('Must specify filters for FORMAT_RAW')
        elif format != FORMAT_ALONE:
            raise ValueError(f'Invalid container format: {format}')
        if filters is None:
            if format == FORMAT_XZ and _number(preset) & ~PRESET_EXTREME > 9:
                raise LZMAError('Invalid or unsupported options')
            number = FILTER_LZMA2 if format == FORMAT_XZ else FILTER_LZMA1
            filters = [{'id': number, 'preset': preset}]
        links, options = _chain(filters)
        if options is None:
            raise LZMAError('Invalid or unsupported options')
        self._coder = _checked(_lzma_core.coder(format, max(check, 0), links, options['dict_size'], options['lc'], options['lp'],
                                                options['pb'], options['nice_len'], options['depth']))

    def compress(self, data, /):
        """Provide data to the compressor object: returns a chunk of compressed data if possible, or b'' otherwise."""
        return self._coder.compress(data)

    def flush(self):
        """Finish the compression process: returns the compressed data left in internal buffers."""
        return self._coder.flush()

    __reduce_ex__ = _refuse_pickle


class LZMADecompressor:
    """LZMADecompressor(format=FORMAT_AUTO, memlimit=None, filters=None)

    Create a decompressor object for decompressing data incrementally.
    """

    def __init__(self, format=FORMAT_AUTO, memlimit=None, filters=None):
        if not hasattr(format, '__index__'):
            raise TypeError(f"'{type(format).__name__}' object cannot be interpreted as an integer")
        if memlimit is not None:
            if format == FORMAT_RAW:
                raise ValueError('Cannot specify memory limit with FORMAT_RAW')
            memlimit = _number(memlimit, 64)
        if format == FORMAT_RAW and filters is None:
            raise ValueError('Must specify filters for FORMAT_RAW')
        if format != FORMAT_RAW and filters is not None:
            raise ValueError('Cannot specify filters except with FORMAT_RAW')
        if format not in (FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW):
            raise ValueError(f'Invalid container format: {format}')
        links = None if filters is None else _chain(filters)[0]
        self._coder = _checked(_lzma_core.decoder(format, memlimit, links))

    def decompress(self, data, max_length=-1):
        """Decompress *data*, returning uncompressed data as bytes, at most *max_length* of them if it is not negative."""
        if self._coder.eof:
            raise EOFError('Already at end of stream')
        return _checked(self._coder.decompress(data, max_length))

    @property
    def check(self):
        """ID of the integrity check used by the input stream."""
        return self._coder.check

    @property
    def eof(self):
        """True if the end-of-stream marker has been reached."""
        return self._coder.eof

    @property
    def needs_input(self):
        """True if more input is needed before more decompressed data can be produced."""
        return self._coder.needs_input

    @property
    def unused_data(self):
        """Data found after the end of the compressed stream."""
        return self._coder.unused_data

    __reduce_ex__ = _refuse_pickle


for _class in (LZMACompressor, LZMADecompressor):
    _class.__module__ = '_lzma'
del _class
