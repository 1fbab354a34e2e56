import a
import a.b.c
import a.b.c as d
from a import b, c as e
from .. import f
from a import *
