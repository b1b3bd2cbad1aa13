# A REST API of Terraform with Gatehouse before it.

data "aws_cloudformation_export" "gatehouse" {
  name = "gatehouse-live-AuthorizerInvokeUri"
}

resource "aws_api_gateway_rest_api" "shop" {
  name = "shop"
}

resource "aws_api_gateway_authorizer" "gatehouse" {
  name           = "gatehouse"
  rest_api_id    = aws_api_gateway_rest_api.shop.id
  type           = "REQUEST"
  authorizer_uri = data.aws_cloudformation_export.gatehouse.value
  # Without this header: 401, and the authorizer is not called.
  identity_source = "method.request.header.Authorization"
  # No result cache. To turn it on: docs/attach/README.md.
  authorizer_result_ttl_in_seconds = 0
}

resource "aws_api_gateway_resource" "documents" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  parent_id   = aws_api_gateway_rest_api.shop.root_resource_id
  path_part   = "documents"
}

resource "aws_api_gateway_method" "get_documents" {
  rest_api_id   = aws_api_gateway_rest_api.shop.id
  resource_id   = aws_api_gateway_resource.documents.id
  http_method   = "GET"
  authorization = "CUSTOM"
  authorizer_id = aws_api_gateway_authorizer.gatehouse.id
}
