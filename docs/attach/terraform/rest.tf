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

resource "aws_api_gateway_resource" "document" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  parent_id   = aws_api_gateway_resource.documents.id
  path_part   = "{id}"
}

resource "aws_api_gateway_method" "get_document" {
  rest_api_id        = aws_api_gateway_rest_api.shop.id
  resource_id        = aws_api_gateway_resource.document.id
  http_method        = "GET"
  authorization      = "CUSTOM"
  authorizer_id      = aws_api_gateway_authorizer.gatehouse.id
  request_parameters = { "method.request.path.id" = true }
}

resource "aws_api_gateway_integration" "backend" {
  rest_api_id             = aws_api_gateway_rest_api.shop.id
  resource_id             = aws_api_gateway_resource.document.id
  http_method             = aws_api_gateway_method.get_document.http_method
  type                    = "HTTP_PROXY"
  integration_http_method = "GET"
  uri                     = "https://backend.example/documents/{id}"
  request_parameters = {
    "integration.request.path.id" = "method.request.path.id"
    # Who asks, for the backend: refuse what comes without it.
    "integration.request.header.x-subject" = "context.authorizer.subject"
  }
}

# Browsers send preflight requests without a token: no authorizer here.
resource "aws_api_gateway_method" "preflight" {
  rest_api_id   = aws_api_gateway_rest_api.shop.id
  resource_id   = aws_api_gateway_resource.document.id
  http_method   = "OPTIONS"
  authorization = "NONE"
}

resource "aws_api_gateway_integration" "preflight" {
  rest_api_id       = aws_api_gateway_rest_api.shop.id
  resource_id       = aws_api_gateway_resource.document.id
  http_method       = aws_api_gateway_method.preflight.http_method
  type              = "MOCK"
  request_templates = { "application/json" = "{\"statusCode\":204}" }
}

resource "aws_api_gateway_method_response" "preflight" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  resource_id = aws_api_gateway_resource.document.id
  http_method = aws_api_gateway_method.preflight.http_method
  status_code = "204"
  response_parameters = {
    "method.response.header.Access-Control-Allow-Origin"  = true
    "method.response.header.Access-Control-Allow-Methods" = true
    "method.response.header.Access-Control-Allow-Headers" = true
  }
}

resource "aws_api_gateway_integration_response" "preflight" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  resource_id = aws_api_gateway_resource.document.id
  http_method = aws_api_gateway_integration.preflight.http_method
  status_code = aws_api_gateway_method_response.preflight.status_code
  response_parameters = {
    "method.response.header.Access-Control-Allow-Origin"  = "'https://app.example'"
    "method.response.header.Access-Control-Allow-Methods" = "'GET,OPTIONS'"
    "method.response.header.Access-Control-Allow-Headers" = "'authorization,content-type'"
  }
}

# Without these headers a browser hides from the page that it was a 401 or a 403, or a 500 of the authorizer.
resource "aws_api_gateway_gateway_response" "refused" {
  rest_api_id         = aws_api_gateway_rest_api.shop.id
  response_type       = "DEFAULT_4XX"
  response_parameters = { "gatewayresponse.header.Access-Control-Allow-Origin" = "'https://app.example'" }
}

resource "aws_api_gateway_gateway_response" "failed" {
  rest_api_id         = aws_api_gateway_rest_api.shop.id
  response_type       = "DEFAULT_5XX"
  response_parameters = { "gatewayresponse.header.Access-Control-Allow-Origin" = "'https://app.example'" }
}

# Only what is there when it is made is deployed.
resource "aws_api_gateway_deployment" "shop" {
  rest_api_id = aws_api_gateway_rest_api.shop.id
  triggers    = { file = filesha256("${path.module}/rest.tf") }
  depends_on = [
    aws_api_gateway_integration.backend,
    aws_api_gateway_integration_response.preflight,
    aws_api_gateway_gateway_response.refused,
    aws_api_gateway_gateway_response.failed,
  ]
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "live" {
  rest_api_id   = aws_api_gateway_rest_api.shop.id
  deployment_id = aws_api_gateway_deployment.shop.id
  stage_name    = "live"
}
