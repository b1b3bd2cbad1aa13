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
  api_id           = aws_apigatewayv2_api.shop.id
  integration_type = "MOCK"
}

resource "aws_apigatewayv2_route" "connect" {
  api_id             = aws_apigatewayv2_api.shop.id
  route_key          = "$connect"
  authorization_type = "CUSTOM"
  authorizer_id      = aws_apigatewayv2_authorizer.gatehouse.id
  target             = "integrations/${aws_apigatewayv2_integration.accept.id}"
}
