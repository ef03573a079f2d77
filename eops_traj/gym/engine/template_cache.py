"""Templates that were made: the last ones as they are, many others packed.

Work on a large suite comes by tasks of a hundred companies in any order. To make one's database anew takes
twenty times as long as to unpack it.
"""

import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from eops_traj.gym.engine.database import Template
from eops_traj.gym.engine.schema import Schema

WHOLE = 64
"""The most that are kept as they are: an image has 0.4 to 2.6 MB."""
PACKED_BYTES = 256 << 20
"""The most that all the others take, packed: about a thousand."""


@dataclass
class TemplateCache:
    """Templates by key, the least recently asked for packed first and then forgotten. Keys are small."""

    whole: int = WHOLE
    packed_bytes: int = PACKED_BYTES
    _whole: OrderedDict[Hashable, Template] = field(default_factory=OrderedDict)
    _packed: OrderedDict[Hashable, tuple[Schema, bytes]] = field(default_factory=OrderedDict)
    """One that is unpacked stays, so that it is packed once."""
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: Hashable, make: Callable[[], Template]) -> Template:
        """Return the template of a key; ``make`` makes it where it is not kept, outside of any lock."""
        with self._lock:
            if key in self._whole:
                self._whole.move_to_end(key)
                return self._whole[key]
            packed = self._packed.get(key)
        template = Template(packed[0], zlib.decompress(packed[1])) if packed else make()
        with self._lock:
            self._keep(key, template)
        return template

    def _keep(self, key: Hashable, template: Template) -> None:
        self._whole[key] = template
        if key in self._packed:
            self._packed.move_to_end(key)
        while len(self._whole) > self.whole:
            self._pack(*self._whole.popitem(last=False))

    def _pack(self, key: Hashable, template: Template) -> None:
        if key not in self._packed:
            image = zlib.compress(template.image, 1)
            self._packed[key] = template.schema, image
            self._bytes += len(image)
        while self._bytes > self.packed_bytes:
            _, (_, forgotten) = self._packed.popitem(last=False)
            self._bytes -= len(forgotten)
