"""llama.cpp's OpenAI-compatible server (package xllamacpp) on a file of weights; prints its address."""

from __future__ import annotations

import sys
import time


def main() -> None:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = sys.argv[1]
    settings.n_ctx, settings.n_parallel, settings.warmup = 2048, 2, False
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    print(f"address {server.listening_address}", flush=True)
    time.sleep(600)


if __name__ == "__main__":
    main()
