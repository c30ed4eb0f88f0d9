# Build: the same steps as on a machine (make build), with the Swift standard library linked in.
FROM swift:6.3-bookworm AS build
WORKDIR /src
COPY setup Makefile Package.swift ./
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make >/dev/null && ./setup
COPY Plugins Plugins
# The pages of GET /docs.
COPY docs docs
COPY Sources Sources
COPY Tests Tests
# What `cloakroom --version` says: docker build --build-arg COMMIT="$(git rev-parse --short=12 HEAD)" .
ARG COMMIT=""
RUN make build COMMIT="$COMMIT"

# Run: the binary and the C libraries it is linked to, as a user without rights.
FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends \
        libevent-core-2.1-7 libssl3 libsqlite3-0 libpcre2-8-0 libpq5 libhiredis0.14 ca-certificates curl tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --home-dir /var/lib/cloakroom cloakroom
COPY --from=build /src/.build/release/cloakroom /usr/local/bin/cloakroom
COPY config /etc/cloakroom
# The places of the image stand in its own configuration: one that is mounted in its stead counts alone.
RUN sed -i 's|\.\./\.data/|/var/lib/cloakroom/|' /etc/cloakroom/cloakroom.yaml
# Requests that wait for an upstream hold much of what others will want: let each thread keep more of it at hand.
ENV GLIBC_TUNABLES=glibc.malloc.tcache_count=128
USER cloakroom
WORKDIR /var/lib/cloakroom
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s CMD curl --fail --silent http://127.0.0.1:9080/health/live || exit 1
ENTRYPOINT ["cloakroom"]
CMD ["serve", "--config", "/etc/cloakroom/cloakroom.yaml"]
