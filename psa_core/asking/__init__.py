"""Requests to language models and their answers: over the network, from files, from a journal."""

from __future__ import annotations

from psa_core.asking.records import Answer, Asker, Reply, Request

__all__ = ["Answer", "Asker", "Reply", "Request"]
