# syntax=docker/dockerfile:1

FROM node:26-slim AS base
WORKDIR /app
ENV NODE_ENV=production

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
# No package needs an install script. The packages' Node is for machines with an old one; this image has its own.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM base
# Owned before it becomes a volume, so that a fresh volume can be written without root.
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules ./node_modules
# .dockerignore names what this brings in.
COPY . .
# `docker run … fathom import …`, and `fathom …` in a shell of the container.
RUN ln -s /app/bin/fathom /usr/local/bin/fathom
# Where compiled code is kept from one start to the next.
RUN mkdir -p node_modules/.cache && chown node:node node_modules/.cache

ENV HOST=0.0.0.0 \
    PORT=8080 \
    METRICS_HOST=0.0.0.0 \
    METRICS_PORT=9464 \
    DRAIN_SECONDS=5 \
    DATABASE_URL=sqlite:/data/fathom.db
VOLUME /data
EXPOSE 8080 9464
USER node
STOPSIGNAL SIGTERM

# A start may wait a minute for its database, and the first one after an upgrade brings it up to date, which may take
# minutes; it's healthy once it answers. A second Node would take 64 MB for each look.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30m --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /livez HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r -t 2 line <&3 && [[ $line == *' 200 '* ]]"]

# No shell and no npm in between: the signal to stop must reach Node itself. The small space for young
# objects saves some 30 MB at the start, when much is read and little kept. One helper of V8's instead of four
# leaves requests the cores that reading and scoring would otherwise fill.
CMD ["node", "--max-semi-space-size=4", "--v8-pool-size=1", "--import", "./src/app/compile-cache.js", "src/cli/main.ts", "serve"]
