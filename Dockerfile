# The AuthZEN API as a container (docs/authzen.md):
#   docker build -t gatehouse-pdp . && docker run -p 8080:8080 -e TABLE_NAME=gatehouse -e AWS_REGION=… gatehouse-pdp
FROM node:24-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev --omit=optional

FROM node:24-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/cli/main.js", "serve", "--host", "0.0.0.0"]
