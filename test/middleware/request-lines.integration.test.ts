import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../oracle/random.ts';
import { again, SEED } from '../support/seed.ts';
import { hostileLine, type Line } from './request-lines.ts';
import { type Decided, PATHS, type Served, sendLine, WITNESSES, type Witness } from './witness.ts';

/** A guard decides on exactly what the handler is given, whatever the request line is. */
const LINES = 10_000;
const AT_ONCE = 50;

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
    expect(witness.served.size).toBeGreaterThan(100);
    const paths = [...witness.decided.values()].filter(({ path }) => path !== undefined);
    expect(paths.length).toBeGreaterThan(isRouted ? 50 : -1);
  });

  test('a target that is no path is answered 400, and decided by nobody', () => {
    const odd = [...sent].filter(([, { target }]) => !/^\/[^#]*$/.test(target));
    expect(odd.filter(([number]) => witness.decided.has(number)).map(([number]) => place(number))).toEqual(
      [],
    );
    const reached = odd.filter(([number]) => witness.given.has(number));
    expect(reached.length).toBeGreaterThan(20);
    expect(reached.filter(([, { status }]) => status !== 400).map(([number]) => place(number))).toEqual([]);
  });

  test('a guard that reads the request line for itself would be found out', () => {
    const found = [...witness.given].flatMap(([number, given]) =>
      wrongIn(readAgain(sent.get(number) as Line, given), given),
    );
    expect(found).toEqual(expect.arrayContaining(isRouted ? ['method', 'path', 'scope'] : ['path']));
  });
});
