import { randomUUID } from 'node:crypto';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  ElicitResultSchema,
  type JSONRPCMessage,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

/**
 * What the conformance suite asks of a server, in the words of its scenarios, as far as a guard may stand in the way: of
 * the forms that a result or a question may have there is one of each. What is left out fails with and without a guard.
 */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const resource = (uri: string, said: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: said },
});
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const USER = { username: { type: 'string' }, email: { type: 'string' } };

export const TOOLS = [
  ...['simple_text', 'image_content', 'embedded_resource'],
  ...['tool_with_logging', 'tool_with_progress', 'error_handling', 'reconnection', 'sampling', 'elicitation'],
].map((name) => `test_${name}`);
export const RESOURCES = ['static-text', 'static-binary', 'watched-resource', 'template'];
export const PROMPTS = ['simple_prompt', 'prompt_with_arguments', 'prompt_with_image'].map(
  (name) => `test_${name}`,
);

/** @param guard stands before what is registered */
export function everythingServer(guard: (server: McpServer) => McpServer = (server) => server): McpServer {
  const capabilities = {
    logging: {},
    completions: {},
    resources: { subscribe: true },
    tools: {},
    prompts: {},
  };
  const server = guard(new McpServer({ name: 'everything', version: '1' }, { capabilities }));
  registerTools(server);
  registerResources(server);
  registerPrompts(server);
  return server;
}

function registerTools(server: McpServer): void {
  const saying = (
    name: string,
    ...content: (ReturnType<typeof text> | typeof image | ReturnType<typeof resource>)[]
  ) => server.registerTool(name, { description: name }, async () => ({ content }));
  saying('test_simple_text', text('This is a simple text response for testing.'));
  saying('test_image_content', image);
  const embedded = resource('test://embedded-resource', 'This is an embedded resource content.');
  saying('test_embedded_resource', embedded);
  server.registerTool('test_tool_with_logging', { description: 'logs' }, async (extra) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await pause(50);
    }
    return { content: [text('logged')] };
  });
  server.registerTool(
    'test_tool_with_progress',
    { description: 'goes on' },
    async ({ _meta, sendNotification }) => {
      const { progressToken = 0 } = _meta ?? {};
      for (const progress of [0, 50, 100]) {
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
        await pause(50);
      }
      return { content: [text('done')] };
    },
  );
  server.registerTool('test_error_handling', { description: 'fails' }, async () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool('test_reconnection', { description: 'closes its stream' }, async (extra) => {
    await pause(50);
    extra.closeSSEStream?.();
    await pause(100);
    return { content: [text('Reconnection test completed')] };
  });
  server.registerTool(
    'test_sampling',
    { description: 'asks', inputSchema: { prompt: z.string() } },
    async ({ prompt }) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }];
      const { content } = await server.server.createMessage({ messages, maxTokens: 100 });
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  );
  const asking = { description: 'asks', inputSchema: { message: z.string() } };
  server.registerTool('test_elicitation', asking, async ({ message }, extra) => {
    const requestedSchema = { type: 'object', properties: USER, required: ['username', 'email'] };
    const { action, content } = await (extra as unknown as { sendRequest: Sends }).sendRequest(
      { method: 'elicitation/create', params: { message, requestedSchema } },
      ElicitResultSchema,
    );
    return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)] };
  });
}

type Sends = (
  request: object,
  schema: typeof ElicitResultSchema,
) => Promise<z.infer<typeof ElicitResultSchema>>;

function registerResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain', description: 'a resource' };
  server.registerResource('static-text', 'test://static-text', plain, async ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { mimeType: 'image/png' },
    async ({ href: uri }) => ({
      contents: [{ uri, mimeType: 'image/png', blob: PNG }],
    }),
  );
  server.registerResource('watched-resource', 'test://watched-resource', plain, async ({ href: uri }) => ({
    contents: [{ uri, text: 'watched' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, plain, async ({ href: uri }, { id }) => ({
    contents: [
      { uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) },
    ],
  }));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
}

function registerPrompts(server: McpServer): void {
  const user = <C>(content: C) => ({ role: 'user' as const, content });
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, async () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }));
  const two = {
    description: 'two',
    argsSchema: { arg1: completable(z.string(), () => ['testing']), arg2: z.string() },
  };
  server.registerPrompt('test_prompt_with_arguments', two, async ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }));
  server.registerPrompt('test_prompt_with_image', { description: 'image' }, async () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }));
}

/** Streamable HTTP with sessions, in memory, and streams that clients can take up again. */
export function withSessions(build: () => McpServer) {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (
    request: Request,
    given: { authInfo?: object; parsedBody?: unknown } = {},
  ): Promise<Response> => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '');
    if (known) return known.handleRequest(request, given as never);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEvents(),
      retryInterval: 200,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    await build().connect(transport);
    return transport.handleRequest(request, given as never);
  };
}

function createEvents(): EventStore {
  const events: [string, string, JSONRPCMessage][] = [];
  return {
    storeEvent: async (stream, message) => {
      const id = `${stream}_${String(events.length).padStart(6, '0')}`;
      events.push([id, stream, message]);
      return id;
    },
    replayEventsAfter: async (last, { send }) => {
      const stream = events.find(([id]) => id === last)?.[1] ?? '';
      for (const [id, of, message] of events)
        if (of === stream && id > last && Object.keys(message).length > 0) await send(id, message);
      return stream;
    },
  };
}
