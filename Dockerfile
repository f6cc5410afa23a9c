# Two stages: the first builds the environment, the second carries only what runs. No compiler, no package index inside.
FROM python:3.11-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/whichgpu
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY bot ./bot
COPY data ./data
COPY knowledge ./knowledge
RUN /opt/whichgpu/bin/pip install --constraint constraints.txt '.[postgres]' \
    && /opt/whichgpu/bin/python -m compileall -q /opt/whichgpu
# One answer now leaves the prepared data in the image: the file system is read-only later.
ENV WHICHGPU_CACHE=/opt/whichgpu/cache
RUN /opt/whichgpu/bin/whichgpu ask 'which GPU for NLP under $800?'

FROM python:3.11-slim-bookworm

RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin whichgpu \
    && install -d -o whichgpu -g whichgpu -m 0700 /state
COPY --from=build /opt/whichgpu /opt/whichgpu
ENV PATH=/opt/whichgpu/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    WHICHGPU_CACHE=/opt/whichgpu/cache \
    WHICHGPU_STATE_DIR=/state
USER whichgpu
WORKDIR /state
VOLUME /state
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=90s --retries=3 CMD ["whichgpu", "healthcheck"]
ENTRYPOINT ["whichgpu"]
CMD ["run"]
