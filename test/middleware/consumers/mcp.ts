import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { authorizationOf, mcpEndpoint, mcpGuard, mcpLambda } from 'gatehouse-authz/mcp';
import { fromEnvironment } from 'gatehouse-authz/middleware';

/** Servers of both versions of the SDK, behind a guard whose rules name the application's permissions. */
type Permission = 'grades' | 'payroll';
const { engine } = fromEnvironment();

const guard = mcpGuard<Permission>({
  engine,
  tools: { grades: { permission: 'grades', scope: 'tenant:school' } },
});
// @ts-expect-error A permission that the application does not have.
mcpGuard<Permission>({ engine, tools: { grades: { permission: 'grade', scope: 'tenant:school' } } });

const server = guard(new McpServer({ name: 'a', version: '1' }));
server.registerTool('grades', {}, async (context) => ({
  content: [{ type: 'text', text: authorizationOf(context).subject }],
}));
const options = { engine, resource: 'https://a.example', issuers: { issuer: 'https://b.example' } };
export const handler = mcpLambda(mcpEndpoint(options, createMcpHandler(() => server).fetch));

const first = guard(new FirstServer({ name: 'a', version: '1' }));
first.registerTool('grades', {}, async (extra) => ({
  content: [{ type: 'text', text: authorizationOf(extra).subject }],
}));
export const endpoint = mcpEndpoint(options, async (request, verified) => {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await first.connect(transport);
  return transport.handleRequest(request, verified);
});
