#!/usr/bin/env bash
# `npm run snippets`: every file here through a tool that knows its form. Fetches cfn-lint, python-hcl2 and the CDK
# from PyPI and npm into a folder of its own; takes about a minute. Needs Python 3; uses terraform where there is one.
set -eu -o pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/python"
"$work/python/bin/pip" install --quiet cfn-lint==1.58.0 python-hcl2==8.1.4
lint() {
  # W3005 speaks of what the framework writes; W2001, W3045 and I are matters of taste.
  "$work/python/bin/cfn-lint" --ignore-checks W3005 --regions eu-central-1 -- "$@"
}

for kind in rest http websocket; do
  mkdir "$work/$kind"
  cp "serverless/$kind.yml" "$work/$kind/serverless.yml"
  touch "$work/$kind/documents.js" "$work/$kind/sockets.js"
  (cd "$work/$kind" && node "$root/node_modules/serverless/bin/serverless.js" package >"$work/log" 2>&1) ||
    { cat "$work/log"; exit 1; }
  lint "$work/$kind/.serverless/cloudformation-template-update-stack.json"
  echo "serverless/$kind.yml: packaged by osls, the template checked by cfn-lint"
done

for file in cloudformation/*.yml sam/*.yml; do
  lint "$file"
  echo "$file: cfn-lint"
done

mkdir "$work/cdk"
cp cdk/attach.ts "$work/cdk/attach.ts"
echo '{"private":true,"type":"module"}' >"$work/cdk/package.json"
npm install --prefix "$work/cdk" --ignore-scripts --no-audit --no-fund --silent aws-cdk-lib@2 constructs@10 @types/node@24
(cd "$work/cdk" &&
  "$root/node_modules/.bin/tsc" --noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck attach.ts &&
  CDK_OUTDIR="$work/cdk.out" node --import "$root/node_modules/tsx/dist/loader.mjs" attach.ts)
lint "$work/cdk.out/shop.template.json"
echo 'cdk/attach.ts: tsc, synthesized, the template checked by cfn-lint'

for file in terraform/*.tf; do
  "$work/python/bin/python" -c 'import hcl2, sys; hcl2.load(open(sys.argv[1]))' "$file"
  echo "$file: parsed by python-hcl2"
done
if command -v terraform >/dev/null; then
  terraform fmt -check terraform >/dev/null 2>&1 || { terraform fmt -diff -check terraform; exit 1; }
  echo 'terraform/: terraform fmt'
fi

# The package's own stack, from the tarball alone.
"$work/python/bin/pip" install --quiet aws-sam-cli==1.170.0
(cd "$root" && npm run --silent build && npm pack --silent --ignore-scripts --pack-destination "$work" >/dev/null)
tar -xzf "$work"/gatehouse-authz-*.tgz -C "$work"
export SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=eu-central-1
for step in 'validate --lint' "build --build-dir $work/sam"; do
  # shellcheck disable=SC2086
  (cd "$work/package" && "$work/python/bin/sam" $step --template template.yaml >"$work/log" 2>&1) ||
    { cat "$work/log"; exit 1; }
done
echo 'template.yaml of the package: sam validate, sam build'
