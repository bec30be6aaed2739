# Postrider on a database of your own; the embedded one is not in the image. See docs/guides/production.md.

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
# With the optional packages: the compiler comes as one of them.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY packages/client packages/client
COPY packages/console packages/console
COPY src src
COPY tools tools
# What the documentation is rendered from.
COPY docs docs
COPY ops ops
COPY sdks sdks
COPY ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md Dockerfile compose.yaml ./
RUN npm run build && npm ci --ignore-scripts --omit=dev --omit=optional

FROM node:24-slim
ENV NODE_ENV=production \
    NODE_OPTIONS=--enable-source-maps \
    POSTRIDER_HOST=0.0.0.0 \
    POSTRIDER_DATA_DIR=/tmp/postrider
WORKDIR /srv/postrider
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/packages/client packages/client
COPY --from=build /build/packages/console/dist packages/console/dist
COPY --from=build /build/dist dist
COPY bin bin
RUN ln -s /srv/postrider/bin/postrider.mjs /usr/local/bin/postrider
# The user that the base image brings. It owns nothing here: the process cannot change its own code.
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# In the exec form, so that the process itself gets SIGTERM and finishes what is in flight.
CMD ["node", "dist/main.js"]
