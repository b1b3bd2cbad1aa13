/**
 * Public entry point for servers of the Model Context Protocol: a guard for the official SDK, in both of its major
 * versions, and an endpoint that verifies callers.
 */
export { authorizationOf } from '../authorization.ts';
export type { CountedUse } from './call-decision.ts';
export { type McpEndpoint, type McpEndpointOptions, mcpEndpoint, type Verified } from './mcp-endpoint.ts';
export { type McpGuardOptions, mcpGuard } from './mcp-guard.ts';
export { mcpLambda } from './mcp-lambda.ts';
export type { Refusal } from './refusal.ts';
export type { McpRule, McpRules } from './rules.ts';
