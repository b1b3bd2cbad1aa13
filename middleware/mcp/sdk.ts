import type { HttpRequest } from '../http.ts';

/**
 * What the guard uses of the official SDK, the same in both of its major versions: `@modelcontextprotocol/sdk`
 * (protocol up to 2025-11-25) and `@modelcontextprotocol/server` (2026-07-28). Nothing of them is imported.
 */

// biome-ignore lint/suspicious/noExplicitAny: the SDK types these by schemas, and its versions differ
type Loose = any;

/** An `McpServer`. */
export interface McpServerLike {
  readonly server: { connect(transport: Loose): Promise<void> };
  registerTool(name: string, config: Loose, callback: Loose): Loose;
  registerResource(name: string, uriOrTemplate: Loose, config: Loose, callback: Loose): Loose;
  registerPrompt(name: string, config: Loose, callback: Loose): Loose;
}

export type Callback = (...given: Loose[]) => unknown;

/** What registering answers: an update may bring another callback. */
export interface Registered {
  update(changes: { callback?: Callback | undefined }): void;
}

/** The template of a resource. */
export interface TemplateLike {
  readonly uriTemplate: { match(uri: string): Readonly<Record<string, unknown>> | null };
}

export type Id = string | number;

export interface Message {
  readonly jsonrpc?: '2.0';
  readonly id?: Id | undefined;
  readonly method?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: object | undefined;
}

/** What a transport says beside a message. */
export interface MessageExtra {
  readonly authInfo?: object | undefined;
  /** First version. */
  readonly requestInfo?: { readonly headers?: Readonly<Record<string, unknown>> | undefined } | undefined;
  /** Second version. */
  readonly request?: Request | undefined;
}

type Listener = (message: Message, extra?: MessageExtra) => void;

/** What a server says beside a message. */
export interface SendOptions {
  /** The request in whose stream it goes. */
  readonly relatedRequestId?: Id | undefined;
}

export type Send = (message: Message, options?: SendOptions) => Promise<void>;

export interface TransportLike {
  onmessage?: Listener | undefined;
  send(message: Message, options?: SendOptions): Promise<void>;
}

/**
 * Puts two functions between a transport and the server that connects to it. The transport stays the object that
 * it is: the SDK looks at its class.
 */
export function interpose(
  transport: TransportLike,
  receive: (message: Message, extra: MessageExtra, next: Listener, reply: Send) => void,
  send: (message: Message, options: SendOptions | undefined, next: Send) => Promise<void>,
): void {
  const sent: Send = transport.send.bind(transport);
  transport.send = (message, options) => send(message, options, sent);
  // A transport that wraps another one hands its listener on by an accessor.
  const { set: handOn } = descriptorOf(transport, 'onmessage') ?? {};
  let listener = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => listener,
    set: (next: Listener | undefined) => {
      listener = next && ((message, extra) => receive(message, extra ?? {}, next, sent));
      handOn?.call(transport, listener);
    },
  });
}

const descriptorOf = (of: object | null, name: string): PropertyDescriptor | undefined =>
  of === null
    ? undefined
    : (Object.getOwnPropertyDescriptor(of, name) ?? descriptorOf(Object.getPrototypeOf(of), name));

/** Handlers get no token: not in `authInfo`, and not in the headers of the request. */
export function withoutToken({ authInfo, requestInfo, request, ...extra }: MessageExtra): MessageExtra & {
  readonly authInfo: object;
} {
  return {
    ...extra,
    authInfo: Object.freeze({ clientId: '', scopes: [], ...authInfo, token: '' }),
    ...(requestInfo && {
      requestInfo: {
        ...requestInfo,
        headers: Object.fromEntries(
          Object.entries(requestInfo.headers ?? {}).filter(([name]) => !isSecret(name)),
        ),
      },
    }),
    ...(request && { request: requestWithoutToken(request) }),
  };
}

/** Without the body: whoever calls it has read that. */
export const requestWithoutToken = ({ url, method, headers, signal }: Request): Request =>
  new Request(url, { method, headers: [...headers].filter(([name]) => !isSecret(name)), signal });

const isSecret = (name: string): boolean => /^(?:proxy-)?authorization$|^cookie$/i.test(name);

/** A message has no request line, and its headers decide nothing. */
export const NO_HTTP: HttpRequest = {
  method: undefined,
  route: { method: undefined, path: undefined },
  ip: undefined,
  header: () => [],
  query: () => undefined,
  parameter: () => undefined,
};
