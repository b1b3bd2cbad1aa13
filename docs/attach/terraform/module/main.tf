# Gatehouse in Terraform: the stack of the npm package gatehouse-authz, with its table, authorizer and provisioning.

terraform {
  required_version = ">= 1.5"
  required_providers {
    aws     = { source = "hashicorp/aws", version = ">= 5.0" }
    archive = { source = "hashicorp/archive", version = ">= 2.4" }
  }
}

data "aws_partition" "current" {}

data "archive_file" "code" {
  for_each    = local.folders
  type        = "zip"
  source_dir  = "${var.package}/${each.value}"
  output_path = "${path.root}/.terraform/${var.name}-${each.key}.zip"
}

locals {
  # A new name for new code, by which CloudFormation notices it.
  keys = { for id, folder in local.folders : id => "${var.name}/${id}-${data.archive_file.code[id].output_md5}.zip" }
}

resource "aws_s3_object" "code" {
  for_each = local.folders
  bucket   = var.bucket
  key      = local.keys[each.key]
  source   = data.archive_file.code[each.key].output_path
}

# It is larger than CloudFormation takes in a request.
resource "aws_s3_object" "template" {
  bucket  = var.bucket
  key     = "${var.name}/template-${md5(jsonencode(local.deployed))}.json"
  content = jsonencode(local.deployed)
}

data "aws_s3_bucket" "code" {
  bucket = var.bucket
}

resource "aws_cloudformation_stack" "gatehouse" {
  name         = var.name
  template_url = "https://${data.aws_s3_bucket.code.bucket_regional_domain_name}/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
  parameters   = merge(var.parameters, { TokenIssuer = var.token_issuer, TokenAudience = var.token_audience })
  depends_on   = [aws_s3_object.code]
}

# For the APIs of this account the permission is in the stack.
resource "aws_lambda_permission" "api" {
  for_each      = var.apis
  function_name = aws_cloudformation_stack.gatehouse.outputs.AuthorizerArn
  action        = "lambda:InvokeFunction"
  principal     = "apigateway.amazonaws.com"
  source_arn    = "arn:${data.aws_partition.current.partition}:execute-api:${each.value.region}:${each.value.account}:${each.value.id}/authorizers/*"
}
