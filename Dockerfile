# q2 with the Prefect server and worker of docs/operations.md; compose.yaml runs it.
# torch comes as a CPU build; every file is checked against the lock (docs/decisions/0007).
FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*
ENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu PIP_NO_CACHE_DIR=1
WORKDIR /opt/q2
# The locked packages are a layer of their own, which a change of the code leaves as it is.
COPY Makefile pyproject.toml README.md LICENSE NOTICE requirements*.lock ./
RUN make .venv/.torch \
    && .venv/bin/python -m pip install --require-hashes --no-deps -r requirements.lock
COPY . .
RUN make .venv/.run

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="q2" \
      org.opencontainers.image.description="Do your chatbot's replies stick to the facts that they were given?"
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin q2 \
    && install --directory --owner=q2 /opt/q2 /opt/q2/q2-store /opt/q2/reports /opt/q2/logs
COPY --from=build /opt/q2 /opt/q2
WORKDIR /opt/q2
ENV PATH=/opt/q2/.venv/bin:$PATH Q2_HOME=/opt/q2 HF_HUB_OFFLINE=1 DO_NOT_TRACK=1 \
    PYTHONUNBUFFERED=1
USER q2
# Whether the program starts with all that it needs; the services of compose.yaml have their own.
HEALTHCHECK --interval=60s --timeout=30s --start-period=30s CMD ["q2", "--version"]
CMD ["q2", "--help"]
