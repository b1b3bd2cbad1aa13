#!/usr/bin/env bash
# The SCIM server as independent programs see it: scim2-tester, without an error, and a round of scim2-cli.
set -eu -o pipefail
cd "$(dirname "$0")/../../.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --no-compile --disable-pip-version-check scim2-tester==0.5.2 scim2-cli==0.6.0
PATH=$tools/bin:$PATH
node --import tsx test/scim/tester/run.ts python test/scim/tester/check.py
node --import tsx test/scim/tester/run.ts bash test/scim/tester/round.sh
