#!/usr/bin/env bash
# `npm run proof -- snippets`: every example here, the construct, the module and the stack itself, through the tools that know their
# forms, then by the rules of test/attach and past cfn-lint and checkov. Fetches the tools from PyPI and npm into a folder
# of its own; takes about four minutes. Needs Python 3; uses terraform where there is one.
set -eu -o pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLS_TELEMETRY_DISABLED=1 AWS_REGION=eu-central-1 AWS_DEFAULT_REGION=eu-central-1
made=$work/made scanned=$work/scanned
mkdir "$made" "$scanned"

# Runs quietly; prints what was printed only when it fails.
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }
typescript() { node --import "$root/node_modules/tsx/dist/loader.mjs" "$@"; }

echo '== tools'
python3 -m venv "$work/python"
python=$work/python/bin
"$python/pip" install --quiet cfn-lint==1.58.0 checkov==3.3.30 aws-sam-translator==1.115.0
# In a folder of its own: checkov brings another module of that name.
"$python/pip" install --quiet --target "$work/hcl2" python-hcl2==8.1.4
mkdir "$work/cdk"
echo '{"private":true,"type":"module"}' >"$work/cdk/package.json"
npm install --prefix "$work/cdk" --ignore-scripts --no-audit --no-fund --silent aws-cdk-lib@2 constructs@10 @types/node@24
(cd "$work" && npm pack --silent @cdktf/provider-aws@21 >/dev/null && mkdir provider &&
  tar -xzf cdktf-provider-aws-*.tgz -C provider --wildcards 'package/lib/*/index.d.ts')

echo '== the package'
(cd "$root" && quietly npm pack --silent --pack-destination "$work")
tar -xzf "$work"/gatehouse-authz-*.tgz -C "$work"

echo '== Serverless: osls packages'
for kind in rest http websocket; do
  mkdir "$work/$kind"
  cp "serverless/$kind.yml" "$work/$kind/serverless.yml"
  touch "$work/$kind/documents.js" "$work/$kind/sockets.js"
  (cd "$work/$kind" && quietly node "$root/node_modules/serverless/bin/serverless.js" package)
  cp "$work/$kind/.serverless/cloudformation-template-update-stack.json" "$made/serverless-$kind.json"
done
(cd "$root" && quietly node node_modules/serverless/bin/serverless.js package --package "$work/stack" --stage live \
  --param tokenIssuer=https://issuer.example --param tokenAudience=https://api.example)
cp "$work/stack/cloudformation-template-update-stack.json" "$scanned/stack-serverless.json"

echo '== SAM: aws-sam-translator transforms'
transform() {
  "$python/python" - "$1" >"$2" <<'PYTHON'
import json, sys
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

class NoManagedPolicies:
    def load(self):
        return {}

template = yaml_parse(open(sys.argv[1]))
for resource in template["Resources"].values():
    properties = resource["Properties"]
    # As `sam package` would have it.
    if resource["Type"] == "AWS::Serverless::Function" and "CodeUri" in properties:
        properties["CodeUri"] = "s3://bucket/" + properties["CodeUri"]
print(json.dumps(transform(template, {}, NoManagedPolicies()), indent=1))
PYTHON
}
for kind in rest http websocket; do transform "sam/$kind.yml" "$made/sam-$kind.json"; done
transform "$work/package/template.yaml" "$scanned/stack-sam.json"

echo '== CDK: tsc, synthesized'
types='--noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck'
synthesize() { (cd "$work/cdk" && CDK_OUTDIR="$work/cdk.$1" quietly typescript "$2"); }
cp cdk/*.ts "$work/cdk/"
cp -r "$work/package" "$work/cdk/node_modules/gatehouse-authz"
cp -r cdk/construct "$work/cdk/node_modules/gatehouse-authz-cdk"
cp -r "$root/node_modules/yaml" "$work/cdk/node_modules/yaml"
(cd "$work/cdk/node_modules/gatehouse-authz-cdk" && PATH=$root/node_modules/.bin:$PATH quietly npm run build)
cp cdk/construct/example.ts "$work/cdk/construct.ts"
# shellcheck disable=SC2086
(cd "$work/cdk" && quietly "$root/node_modules/.bin/tsc" $types ./*.ts)
for kind in rest http websocket; do
  synthesize "$kind" "$kind.ts"
  cp "$work/cdk.$kind/shop.template.json" "$made/cdk-$kind.json"
done
synthesize construct construct.ts
# The template that is nested is the one asset that is a single file of JSON beside that of the app.
typescript "$root/test/attach/same-stack.ts" "$work/package/template.yaml" "$work"/cdk.construct/asset.*.json
cp "$work/cdk.construct/shop.template.json" "$made/construct-http.json"
echo 'the construct makes the stack of the package'

echo '== Terraform: python-hcl2 parses, against the schema of the AWS provider'
parse() {
  PYTHONPATH=$work/hcl2 "$python/python" -c 'import hcl2, json, sys; print(json.dumps(hcl2.load(open(sys.argv[1]))))' "$1"
}
for kind in rest http websocket; do parse "terraform/$kind.tf" >"$made/terraform-$kind.json"; done
for file in terraform/module/*.tf; do parse "$file" >"$work/module-$(basename "$file" .tf).json"; done
typescript "$root/test/attach/provider.ts" "$work/provider/package/lib" "$made"/terraform-*.json "$work"/module-*.json
if command -v terraform >/dev/null; then
  quietly terraform fmt -recursive -diff -check terraform
  # What the module makes of the template takes no provider.
  mkdir "$work/module"
  cp terraform/module/template.tf terraform/module/variables.tf "$work/module/"
  cat >"$work/module/keys.tf" <<'HCL'
locals {
  keys = { for id, folder in local.folders : id => "${var.name}/${id}.zip" }
}
output "deployed" {
  value = jsonencode(local.deployed)
}
HCL
  (cd "$work/module" && quietly terraform init && quietly terraform apply -auto-approve -var "package=$work/package" \
    -var bucket=code -var token_issuer=https://issuer.example -var token_audience=https://api.example &&
    terraform output -raw deployed >"$work/module.json" 2>/dev/null)
  typescript "$root/test/attach/same-stack.ts" "$work/package/template.yaml" "$work/module.json"
  echo 'the module makes the stack of the package'
fi
if [ -n "${TERRAFORM_VALIDATE:-}" ]; then
  for folder in rest http websocket module; do
    mkdir "$work/validate-$folder"
    if [ "$folder" = module ]; then cp terraform/module/*.tf "$work/validate-module/"
    else cp "terraform/$folder.tf" "$work/validate-$folder/"; fi
    (cd "$work/validate-$folder" && quietly terraform init -backend=false && quietly terraform validate)
  done
  echo 'terraform validate'
fi

echo '== the rules'
for kind in rest http websocket; do
  "$python/python" -c 'import json, sys; from cfnlint.decode import cfn_yaml
print(json.dumps(cfn_yaml.load(sys.argv[1])))' "cloudformation/$kind.yml" >"$made/cloudformation-$kind.json"
done
typescript "$root/test/attach/run.ts" "$made"/*.json
echo "$(find "$made" -name '*.json' | wc -l) templates follow the rules"

echo '== cfn-lint, checkov, and their answers'
cp "$made"/{sam,cdk,serverless}-*.json cloudformation/*.yml "$scanned/"
mkdir "$work/terraform"
cp terraform/*.tf "$work/terraform/"
cp -r terraform/module "$work/terraform/module"
"$python/cfn-lint" --format json -- "$scanned"/* >"$work/lint.json" || [ $? -lt 16 ]
checkov() { "$python/checkov" --soft-fail --quiet --compact --skip-download --output json "$@"; }
checkov --framework cloudformation --directory "$scanned" >"$work/cloudformation.json"
checkov --framework terraform --directory "$work/terraform" >"$work/terraform.json"
typescript "$root/test/attach/findings.ts" "$work/lint.json" "$work/cloudformation.json" "$work/terraform.json"

echo '== template.yaml of the package: sam validate, sam build'
bash sam.sh "$work/package"
echo 'all right'
