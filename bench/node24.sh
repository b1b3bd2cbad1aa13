#!/usr/bin/env bash
# `bash bench/node24.sh [tests | startup]`: tests the bundle on the Node of Lambda, and measures how it starts; both without a word.
# Installs Node 24 as a package into a temporary folder: in the project's node_modules npm would use it for everything else.
set -eu -o pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
platform=$(node -p '`${process.platform}-${process.arch}`')
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent "node-$platform@24"
node24="$folder/node_modules/node-$platform/bin/node"
echo "Node $("$node24" --version)"
if [ "${1:-tests}" = tests ]; then
  "$node24" node_modules/vitest/vitest.mjs run --project bundled
  "$node24" node_modules/vitest/vitest.mjs run --project integration test/stack/handler.integration.test.ts
fi
if [ "${1:-startup}" = startup ]; then
  "$node24" --import tsx bench/run.ts startup --quick
fi
