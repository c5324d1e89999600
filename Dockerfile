# The server as an image: built with the whole tool chain, run without it. Both stages are of the same Debian, because
# better-sqlite3 is compiled in the first and loaded in the second.
#
#   docker build --tag daytwo:0.1.0 .
#   docker run --read-only --tmpfs /tmp --cap-drop ALL --volume daytwo:/var/lib/daytwo --publish 127.0.0.1:4318:4318 daytwo:0.1.0
#
# docs/operating/deployment.md says how the first token is made, without which the server does not listen beyond loopback.

FROM node:20.20.2-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/ scripts/
COPY sim/ sim/
COPY src/ src/
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:20.20.2-bookworm-slim
# The server needs node alone. What installs packages is no use to it, and of use to an intruder.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
      /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-* \
    && install --directory --owner 65532 --group 65532 --mode 0700 /var/lib/daytwo
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY alert-rules/ alert-rules/
COPY runbooks/ runbooks/
COPY dashboards/ dashboards/
COPY docs/ docs/
COPY --from=build /build/node_modules/ node_modules/
COPY --from=build /build/dist/ dist/
# A number, so that Kubernetes can see that it is not root. Any other works too: the program is readable by all.
USER 65532:65532
VOLUME /var/lib/daytwo
EXPOSE 4318
STOPSIGNAL SIGTERM
# A start reads the log, which takes a minute for a large fleet. No shell runs, here or below.
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m --retries=3 CMD ["node", "dist/main.js", "check", "healthy"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve", "--data", "/var/lib/daytwo", "--listen", "0.0.0.0:4318"]
