import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { Item } from '../../../table/item.ts';
import type { Key } from '../../../table/keys.ts';
import type { Reader } from '../../../table/reader.ts';
import { isEmptied } from '../../provisioning/support.ts';

/** What becomes of a call on its way between the command line and the table. */
export type Mishap = 'pass' | 'cut' | 'lose the answer' | 'delay' | keyof typeof ERRORS;

interface Sent {
  readonly Put?: { readonly Item: Marshalled };
  readonly Update?: { readonly Key: Marshalled };
  readonly Delete?: { readonly Key: Marshalled };
}
type Marshalled = Readonly<Record<'PK' | 'SK', { readonly S: string }>>;

const ERRORS = {
  throttle: {
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'slow',
  },
  conflict: {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    Message: 'Transaction cancelled',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  },
  'drop the table': {
    __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    message: 'Requested resource not found',
  },
  'expire the credentials': {
    __type: 'com.amazon.coral.service#ExpiredTokenException',
    message: 'The security token included in the request is expired',
  },
  'take the rights': {
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: 'not authorized to perform',
  },
};
const isError = (mishap: Mishap): mishap is keyof typeof ERRORS => Object.hasOwn(ERRORS, mishap);

/**
 * A way to the table on which calls can come to grief. It remembers the key of every item that a transaction has
 * named: since nothing is written in another way, reading those is reading the whole table.
 */
export async function createProxy(endpoint: string, mishapOf: (operation: string, nth: number) => Mishap) {
  const to = new URL(endpoint);
  const keys = new Map<string, Key>();
  const seen = new Map<Mishap, number>();
  let writes = 0;
  let isDown = false;
  const server = createServer((incoming, answer) => {
    const chunks: Uint8Array[] = [];
    incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on('error', () => {});
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
      if (operation === 'TransactWriteItems') {
        writes += 1;
        const { TransactItems } = JSON.parse(body.toString()) as { TransactItems: readonly Sent[] };
        for (const { Put, Update, Delete } of TransactItems) {
          const key = Put?.Item ?? Update?.Key ?? Delete?.Key;
          if (key) keys.set(`${key.PK.S}\n${key.SK.S}`, { PK: key.PK.S, SK: key.SK.S });
        }
      }
      const mishap = isDown ? 'cut' : mishapOf(operation, writes);
      seen.set(mishap, (seen.get(mishap) ?? 0) + 1);
      if (mishap === 'cut') return void incoming.socket.destroy();
      // Of conflicts only transactions know.
      if (isError(mishap) && (mishap !== 'conflict' || operation === 'TransactWriteItems')) {
        answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
        return void answer.end(JSON.stringify(ERRORS[mishap]));
      }
      const onward = request(
        {
          host: to.hostname,
          port: to.port,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (found) => {
          if (mishap === 'lose the answer') {
            found.resume();
            found.on('end', () => incoming.socket.destroy());
            return;
          }
          answer.writeHead(found.statusCode ?? 500, found.headers);
          found.pipe(answer);
        },
      );
      onward.on('error', () => incoming.socket.destroy());
      setTimeout(() => onward.end(new Uint8Array(body)), mishap === 'delay' ? 300 : 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  afterAll(close);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    writes: () => writes,
    setDown: (down: boolean) => {
      isDown = down;
    },
    /** Every item of the table. */
    everything: async (reader: Reader): Promise<readonly Item[]> => {
      const items: Item[] = [];
      const wanted = [...keys.values()];
      for (let start = 0; start < wanted.length; start += 800) {
        const some = await reader.getMany(wanted.slice(start, start + 800));
        items.push(...some.filter((item) => item !== undefined));
      }
      return items.filter((item) => !isEmptied(item));
    },
  };
}

const PASSING = /^(?:createdAt|updatedAt|writtenAt|writeId|joinedAt|grantedAt|assignedAt|at|ttl|GSI\d[PS]K)$/;
const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;

/** What each run leaves of its own. */
const OF_A_RUN = new Set(['AuditLog', 'AuditCount', 'PseudonymKey', 'Operation', 'Apply', 'Applied']);

/**
 * What a table says, whenever it was written and whatever ids were given to it: two loads of the same file come to
 * the same. Of audit records and operations only how many there are.
 */
export function contentOf(items: readonly Item[]): readonly string[] {
  const names = new Map(
    items.flatMap((item) => {
      if (item.Type === 'Setting')
        return [[String(item.id), `setting ${item.scope ?? item.user} ${item.key}`]];
      return item.Type === 'User'
        ? [[String(item.id), String(item.email ?? item.username ?? item.displayName)]]
        : [];
    }),
  );
  const entries = items
    .filter(({ Type }) => !OF_A_RUN.has(String(Type)))
    .map((item) =>
      JSON.stringify(
        Object.entries(item)
          .filter(([name]) => !PASSING.test(name))
          .map(([name, value]) => [name, value instanceof Set ? [...value].sort() : value])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      ).replace(ID, (id) => names.get(id) ?? id),
    );
  const records = ['AuditLog', 'Operation'].map(
    (type) => `${items.filter(({ Type }) => Type === type).length} of ${type}`,
  );
  return [...entries.sort(), ...records];
}
