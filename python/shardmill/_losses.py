"""What is lost of a shard that is read with skip_damage: told as warnings."""
import os
import sys
import warnings

from shardmill._errors import DamageWarning

_PACKAGE = os.path.dirname(__file__) + os.sep


def callers_level():
    """The stacklevel of whoever iterates: the first who does not belong to the package."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


def _warn(text):
    warnings.warn(text, DamageWarning, stacklevel=callers_level())


class Losses:
    """Of one shard, in one iteration."""

    MOST = 10  # are told one by one

    def __init__(self, path):
        self._path = path
        self._count = 0

    def tell(self, text):
        self._count += 1
        if self._count <= self.MOST:
            _warn(text)

    def end(self, last=None):
        """Reports the number of losses that were not reported, and then the last one."""
        more = self._count - self.MOST
        if more > 0:
            _warn(f"{self._path}: {more} more {'loss' if more == 1 else 'losses'} of this kind "
                  "(shardmill verify lists them all)")
        if last is not None:
            _warn(last)
