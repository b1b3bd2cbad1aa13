# A WebSocket API of Terraform with Gatehouse before its $connect.

data "aws_cloudformation_export" "gatehouse" {
  name = "gatehouse-live-AuthorizerInvokeUri"
}

resource "aws_apigatewayv2_api" "shop" {
  name                       = "shop"
  protocol_type              = "WEBSOCKET"
  route_selection_expression = "$request.body.action"
}

resource "aws_apigatewayv2_authorizer" "gatehouse" {
  name            = "gatehouse"
  api_id          = aws_apigatewayv2_api.shop.id
  authorizer_type = "REQUEST"
  authorizer_uri  = data.aws_cloudformation_export.gatehouse.value
  # Without this header: 401, and the authorizer is not called. There is no result cache.
  identity_sources = ["route.request.header.Authorization"]
}

resource "aws_apigatewayv2_integration" "accept" {
  api_id                        = aws_apigatewayv2_api.shop.id
  integration_type              = "MOCK"
  request_templates             = { "200" = "{\"statusCode\":200}" }
  template_selection_expression = "200"
}

resource "aws_apigatewayv2_route" "connect" {
  api_id             = aws_apigatewayv2_api.shop.id
  route_key          = "$connect"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.gatehouse.id
  target             = "integrations/${aws_apigatewayv2_integration.accept.id}"
}

# API Gateway asks the authorizer at $connect only. Each message brings what was answered then.
resource "aws_apigatewayv2_integration" "backend" {
  api_id             = aws_apigatewayv2_api.shop.id
  integration_type   = "HTTP_PROXY"
  integration_method = "POST"
  integration_uri    = "https://backend.example/messages"
  # Who sends, for the backend: refuse what comes without it.
  request_parameters = { "integration.request.header.x-subject" = "context.authorizer.subject" }
}

resource "aws_apigatewayv2_route" "message" {
  api_id             = aws_apigatewayv2_api.shop.id
  route_key          = "$default"
  authorization_type = "NONE"
  target             = "integrations/${aws_apigatewayv2_integration.backend.id}"
}

resource "aws_apigatewayv2_stage" "live" {
  api_id      = aws_apigatewayv2_api.shop.id
  name        = "live"
  auto_deploy = true
  depends_on  = [aws_apigatewayv2_route.connect, aws_apigatewayv2_route.message]
}
