import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../proof/oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { hostileLine, type Line } from './request-lines.ts';
import { type Decided, PATHS, type Served, sendLine, WITNESSES, type Witness } from './witness.ts';

/** A guard decides on exactly what the handler is given, whatever the request line is. */
const LINES = size(4_000, 20_000);
const AT_ONCE = 50;

const ADMIN: Decided = { method: 'GET', path: '/admin/N', scope: 'location:N' };
const MOUNTED: Decided = { ...ADMIN, path: '/m/T/x/N' };
const UNKNOWN: Decided = { method: undefined, path: undefined, scope: 'location:fixed' };

/** Lines that have got past a guard before: what is decided, or the status of the answer. */
const KNOWN: readonly (readonly [servers: RegExp, Decided | 400 | 403, ...lines: string[]])[] = [
  [/Express/, ADMIN, 'GET /ADMIN/N', 'GET /Admin/%4e/', 'HEAD /ADMIN/N'],
  [/Express/, MOUNTED, 'GET /M/T/X/N', 'HEAD /m/T/x/%4E/'],
  [/Express/, UNKNOWN, 'HEAD /used/N', 'HEAD /USED/N/'],
  [/Fastify|Hono/, ADMIN, 'GET /%61dmin/N', 'HEAD /admin/%4e'],
  [/tolerant/, ADMIN, 'GET //ADMIN//N/', 'HEAD /Admin/N'],
  [/./, 400, 'GET http://x/admin/N', 'GET /admin/N#x', 'HEAD /reports?at=N#'],
  [/./, 400, 'GET /reports#at=SOUTH&x=?at=NORTH', 'GET /reports?x=1#&at=NORTH'],
  [/./, 400, 'GET /reports#?at=NORTH'],
  [/tolerant/, 403, 'GET /reports;at=SOUTH&x=?at=NORTH&at=NORTH'],
  [/Express 4|extended/, 403, 'GET /reports?at=NORTH&[at]=SOUTH', 'GET /reports?at=NORTH&%5Bat%5D=SOUTH'],
  [/Express 4|extended/, 403, 'GET /reports?[at][0]=SOUTH&at=NORTH', 'GET /reports?at[]=NORTH'],
  [/Express|Fastify|Hono/, 403, 'GET /reports??at=NORTH', 'GET /reports?at=NORTH&%61t=SOUTH'],
];

/** Where a decision is about something else than what is served. What is missing cannot be relied on. */
const wrongIn = (decided: Decided, { method, path, id }: Served): readonly string[] => [
  ...(decided.method === undefined || decided.method === method ? [] : ['method']),
  ...(decided.path === undefined || decided.path === path ? [] : ['path']),
  ...(decided.scope === undefined || decided.scope === `location:${id}` ? [] : ['scope']),
];

/**
 * The decision of a guard that reads the request line for itself: the fault that the comparison must find.
 */
function readAgain({ method, target }: Line, { id }: Served): Decided {
  const [path = '', ...query] = target.split('?');
  const [at, ...others] = new URLSearchParams(query.join('?')).getAll('at');
  if (!/^\/reports/i.test(path)) return { method, path, scope: `location:${id}` };
  return { method, path, scope: at && others.length === 0 ? `location:${at}` : undefined };
}

describe.each(WITNESSES)('%s', (name, start) => {
  const witness: Witness = { given: new Map(), decided: new Map(), served: new Map() };
  const sent = new Map<string, Line & { readonly status: number }>();
  let server: Server;

  beforeAll(async () => {
    server = await start(witness);
    const random = createRandom(SEED);
    const send = async (number: number) => {
      const line = hostileLine(random, PATHS);
      sent.set(`user:${number}`, { ...line, status: await sendLine(server, line, number) });
    };
    for (let first = 0; first < LINES / WITNESSES.length; first += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => send(first + more)));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const place = (number: string) => `${again()} ${JSON.stringify(sent.get(number))}`;
  const isRouted = name !== 'node:http';

  test('what the guard decided on is what the handler was given', () => {
    const wrong = [...witness.served].flatMap(([number, served]) => {
      const decided = witness.decided.get(number);
      const found = decided === undefined ? ['undecided'] : wrongIn(decided, served);
      return found.length === 0 ? [] : [`${found} ${JSON.stringify({ decided, served })} ${place(number)}`];
    });
    expect(wrong).toEqual([]);
    // Enough of them came to a handler, and conditions had something to look at.
    expect(witness.served.size).toBeGreaterThan(50);
    const paths = [...witness.decided.values()].filter(({ path }) => path !== undefined);
    expect(paths.length).toBeGreaterThan(isRouted ? 20 : -1);
  });

  test('a target that is no path is answered 400, and decided by nobody', () => {
    const odd = [...sent].filter(([, { target }]) => !/^\/[^#]*$/.test(target));
    expect(odd.filter(([number]) => witness.decided.has(number)).map(([number]) => place(number))).toEqual(
      [],
    );
    const reached = odd.filter(([number]) => witness.given.has(number));
    expect(reached.length).toBeGreaterThan(10);
    expect(reached.filter(([, { status }]) => status !== 400).map(([number]) => place(number))).toEqual([]);
  });

  test('a guard that reads the request line for itself would be found out', () => {
    const found = [...witness.given].flatMap(([number, given]) =>
      wrongIn(readAgain(sent.get(number) as Line, given), given),
    );
    expect(found).toEqual(expect.arrayContaining(isRouted ? ['method', 'path', 'scope'] : ['path']));
  });

  test('what has got past a guard before does not', async () => {
    let number = LINES;
    for (const [, expected, ...lines] of KNOWN.filter(([servers]) => servers.test(name)))
      for (const line of lines) {
        const [method = '', target = ''] = line.split(' ');
        const status = await sendLine(server, { method, target }, ++number);
        expect(status === 200 ? witness.decided.get(`user:${number}`) : status, line).toEqual(expected);
      }
  });
});
