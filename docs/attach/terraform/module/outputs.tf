output "authorizer_arn" {
  value = aws_cloudformation_stack.gatehouse.outputs.AuthorizerArn
}

output "authorizer_invoke_uri" {
  description = "authorizer_uri of aws_api_gateway_authorizer and aws_apigatewayv2_authorizer."
  value       = aws_cloudformation_stack.gatehouse.outputs.AuthorizerInvokeUri
}

output "outputs" {
  description = "All outputs of the stack: TableName, ProvisioningArn, …"
  value       = aws_cloudformation_stack.gatehouse.outputs
}
