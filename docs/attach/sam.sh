#!/usr/bin/env bash
# `sam validate --lint` and `sam build` of template.yaml in the folder of a package. Fetches the SAM CLI from PyPI.
set -eu -o pipefail
cd "$1"
[ -f template.yaml ] || { echo "$1 holds no template.yaml: in a clone, npm run build makes it" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1
# Its dependencies are other versions of those of checkov.
python3 -m venv "$work/sam-cli"
"$work/sam-cli/bin/pip" install --quiet --no-compile aws-sam-cli==1.170.0
sam() { "$work/sam-cli/bin/sam" "$@" --template template.yaml >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
sam validate --lint
sam build --build-dir "$work/build"
