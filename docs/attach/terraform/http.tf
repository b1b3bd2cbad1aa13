# An HTTP API of Terraform with Gatehouse before it.

data "aws_cloudformation_export" "gatehouse" {
  name = "gatehouse-live-AuthorizerInvokeUri"
}

resource "aws_apigatewayv2_api" "shop" {
  name          = "shop"
  protocol_type = "HTTP"
  # API Gateway answers preflight requests itself: they carry no token, and no authorizer sees them.
  cors_configuration {
    allow_origins = ["https://app.example"]
    allow_methods = ["GET"]
    allow_headers = ["authorization", "content-type"]
    max_age       = 600
  }
}

resource "aws_apigatewayv2_authorizer" "gatehouse" {
  name                              = "gatehouse"
  api_id                            = aws_apigatewayv2_api.shop.id
  authorizer_type                   = "REQUEST"
  authorizer_uri                    = data.aws_cloudformation_export.gatehouse.value
  authorizer_payload_format_version = "2.0"
  # With HTTP_ANSWER=simple, the default of the stack; false with HTTP_ANSWER=policy.
  enable_simple_responses = true
  # Without this header: 401, and the authorizer is not called.
  identity_sources = ["$request.header.Authorization"]
  # No result cache. To turn it on: docs/attach/README.md.
  authorizer_result_ttl_in_seconds = 0
}

resource "aws_apigatewayv2_integration" "backend" {
  api_id             = aws_apigatewayv2_api.shop.id
  integration_type   = "HTTP_PROXY"
  integration_method = "GET"
  integration_uri    = "https://backend.example/documents/{id}"
  # Who asks, for the backend: refuse what comes without it.
  request_parameters = { "overwrite:header.x-subject" = "$context.authorizer.subject" }
}

resource "aws_apigatewayv2_route" "get_document" {
  api_id             = aws_apigatewayv2_api.shop.id
  route_key          = "GET /documents/{id}"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.gatehouse.id
  target             = "integrations/${aws_apigatewayv2_integration.backend.id}"
}

resource "aws_apigatewayv2_stage" "live" {
  api_id      = aws_apigatewayv2_api.shop.id
  name        = "$default"
  auto_deploy = true
}
