import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Issuer, newIssuer } from '../authorizer/support.ts';
import type { Datum } from './cloudwatch/metrics.ts';

/** How a server of ours behaves. What is silent never answers: callers give up long before the 30 s of a slow one. */
export type Behaviour = 'well' | 'down' | 'silent' | { readonly status: number; readonly body: string };

/** A server whose behaviour can change; while it is down its port refuses connections. */
async function createUnsteadyServer(serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  let behaviour: Behaviour = 'well';
  const server: Server = createServer((incoming, outgoing) => {
    if (behaviour === 'well') return serve(incoming, outgoing);
    incoming.resume();
    if (typeof behaviour === 'object')
      outgoing
        .writeHead(behaviour.status, { 'content-type': 'application/x-amz-json-1.0' })
        .end(behaviour.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    behaviour: () => behaviour,
    behave: async (now: Behaviour): Promise<void> => {
      behaviour = now;
      if (now === 'down') await close();
    },
    stop: close,
  };
}

/** An error as DynamoDB answers it (DG Programming.Errors). */
export const dynamodbError = (type: string, status = 400): Behaviour => ({
  status,
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `${type} of a test` }),
});

/** The quota of the account is counted elsewhere. */
const THROTTLES = /ProvisionedThroughputExceeded|ThrottlingException/;

/**
 * DynamoDB with faults: passes requests on to an engine while it is well.
 *
 * @param table the logical id of the table, as dimension of its metrics
 */
export async function createUnsteadyDynamodb(endpoint: string, table: string) {
  const data: Datum[] = [];
  const server = await createUnsteadyServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(endpoint, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const count = (name: string, dimensions = {}): void =>
    void data.push({
      namespace: 'AWS/DynamoDB',
      name,
      dimensions: { TableName: table, ...dimensions },
      value: 1,
    });
  return {
    ...server,
    /** What CloudWatch counts for answers of this behaviour, by one operation that reads and one that writes. */
    data: (): readonly Datum[] => {
      const behaviour = server.behaviour();
      if (typeof behaviour !== 'object') return [];
      data.length = 0;
      if (behaviour.status >= 500)
        for (const Operation of ['BatchGetItem', 'TransactWriteItems']) count('SystemErrors', { Operation });
      else if (THROTTLES.test(behaviour.body))
        for (const kind of ['Read', 'Write']) count(`${kind}ThrottleEvents`);
      return data;
    },
  };
}

/** The keys of a test: of the issuer, the one that it changes to, and one that it never publishes. */
export async function createKeys() {
  const [current, next, foreign] = await Promise.all(['current', 'next', 'foreign'].map(newIssuer));
  return { current, next, foreign } as Readonly<Record<KeyName, Issuer>>;
}

export type KeyName = 'current' | 'next' | 'foreign';
export type Keys = Awaited<ReturnType<typeof createKeys>>;

/** An issuer with faults. Its first key is `current`. */
export async function createUnsteadyIssuer(keys: Keys) {
  let published: KeyName = 'current';
  const server = await createUnsteadyServer((_, outgoing) =>
    outgoing.end(JSON.stringify({ keys: [keys[published].jwk] })),
  );
  return {
    ...server,
    publish: (name: KeyName): void => {
      published = name;
    },
    token: (subject: string, key: KeyName = 'current'): Promise<string> => {
      const now = Math.floor(Date.now() / 1_000);
      return keys[key].token({ iss: server.url, sub: subject, iat: now, exp: now + 7_200 });
    },
  };
}

/** What a function depends on. */
export interface Dependencies {
  readonly dynamodb: Awaited<ReturnType<typeof createUnsteadyDynamodb>>;
  readonly issuer: Awaited<ReturnType<typeof createUnsteadyIssuer>>;
}
