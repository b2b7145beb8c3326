"""A key-value cache allocated for every step in advance, so that no step copies it."""

from __future__ import annotations

from typing import Any

from transformers.cache_utils import DynamicLayer


class RoomyLayer(DynamicLayer):
    """One layer's cache of some rows.

    Parameters
    ----------
    read : DynamicLayer
        Keys and values of the distinct prompts.
    owners : tensor (B,)
        The prompt of each row.
    steps : int
        Tokens that may follow.
    """

    def __init__(self, read: DynamicLayer, owners: Any, steps: int) -> None:
        super().__init__()
        self.dtype, self.device, self.is_initialized = read.dtype, read.device, True
        self._used = read.get_seq_length()
        self.keys, self.values = _grown(read.keys, owners, steps), _grown(read.values, owners, steps)

    keys: Any
    values: Any

    def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
        """Put keys and values at the end; all of them so far."""
        end = self._used + key_states.shape[-2]
        self.keys[:, :, self._used : end] = key_states
        self.values[:, :, self._used : end] = value_states
        self._used = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def get_seq_length(self) -> int:
        """Tokens so far."""
        return self._used

    def batch_select_indices(self, indices: Any) -> None:
        """Go on with some of the rows."""
        self.keys, self.values = self.keys[indices], self.values[indices]


def with_room(cache: Any, owners: Any, steps: int) -> Any:
    """The cache of a batch's distinct prompts as that of its rows; other kinds of layers stay what they are."""
    if all(type(layer) is DynamicLayer for layer in cache.layers):
        cache.layers = [RoomyLayer(layer, owners, steps) for layer in cache.layers]
    else:
        cache.batch_select_indices(owners)
    return cache


def _grown(read: Any, owners: Any, steps: int) -> Any:
    _, heads, used, width = read.shape
    block = read.new_empty(len(owners), heads, used + steps, width)
    block[:, :, :used] = read[owners]
    return block
