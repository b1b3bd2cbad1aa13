import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createRequestMetrics } from '../../authorizer/metrics.ts';
import type { Observation } from '../../engine/index.ts';
import { byteLength } from '../../table/bytes.ts';
import { defined } from '../../table/defined.ts';
import { noNotes } from '../../table/reader.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createLogged } from '../support/log.ts';
import { again, SEED } from '../support/seed.ts';
import { createFunctions, type Functions } from './functions.ts';

/** What the functions write for CloudWatch: one line for each request, whatever had to be decided for it. */
const { write: writeMetrics, take: written } = createLogged();
const functions: Functions = await createFunctions();
const LISTS = Array.from({ length: 34 }, (_, route) => `list-${route}`);
await functions.world.apply(`
pages: [${LISTS}]
permissions: ["location:read:location"]
scopes: { North: { id: north, type: location } }
roles: { of AuthZEN: { owner: North, allow: ["location:read:location"] } }
users: { ann: { id: ann, assignments: [{ role: of AuthZEN, scope: North }] } }
routes:
${LISTS.map((page) => `  - { method: GET, path: "/lists/{id}/${page}", permission: ${page}, scope: "location:{id}" }`).join('\n')}
`);
functions.world.settle();
beforeEach(() => {
  functions.take();
  written();
});

/** As the stack sets it. */
const METRICS = { METRICS_NAMESPACE: 'gatehouse-production' };
const overrides = { writeMetrics };
/** Of the lines of the log and, where they have no other place, of metrics, with their ends. */
const bytesWritten = () => functions.lines.splice(0).reduce((sum, line) => sum + byteLength(line) + 1, 0);

describe('a request to the authorizer', () => {
  test('that a policy for the whole API answers is one decision in one line, cold and kept', async () => {
    const authorizer = functions.authorizer({ ...METRICS, POLICY_COVERS: 'api' }, overrides);
    const ask = async () => expect((await authorizer(await functions.restEvent('roster'))).context);
    (await ask()).toMatchObject({ coverage: 'api' });
    const [cold, ...more] = written();
    expect(more).toEqual([]);
    expect(cold).toMatchObject({ service: 'default', outcome: 'policy', Decisions: 1, ColdStarts: 1 });
    // The reads of its inner checks, of its Queries and of the routes are all there.
    expect(cold.Calls).toBeGreaterThan(3);
    expect(cold.ReadUnits).toBeGreaterThan(34);
    (await ask()).toMatchObject({ coverage: 'api' });
    expect(written()).toEqual([
      {
        _aws: expect.any(Object),
        service: 'default',
        outcome: 'policy',
        Decisions: 1,
        CacheHits: 1,
        Latency: 0,
      },
    ]);
  });

  test('writes at most 400 bytes when it is warm, with default settings', async () => {
    const authorizer = functions.authorizer(METRICS);
    for (const event of [
      await functions.event('roster'),
      await functions.event('payroll'),
      await functions.restEvent('roster'),
    ]) {
      await authorizer(event);
      bytesWritten();
      await authorizer(event);
      const bytes = bytesWritten();
      expect(bytes).toBeGreaterThan(100);
      expect(bytes).toBeLessThanOrEqual(400);
    }
  });

  test('has the reason as outcome, and the tenant as property', async () => {
    const authorizer = functions.authorizer(METRICS, overrides);
    for (const page of ['roster', 'payroll', 'roster/more']) await authorizer(await functions.event(page));
    const tenant = `location:${functions.north}`;
    expect(written()).toMatchObject([
      { outcome: 'role', Decisions: 1, Allowed: 1, tenant },
      { outcome: 'no_grant', Decisions: 1, tenant },
      { outcome: 'route_unmapped', Decisions: 1 },
    ]);
  });

  test('that is decided again for the decision log counts once', async () => {
    const env = { ...METRICS, POLICY_COVERS: 'api', DECISION_LOG: 'all' };
    const authorizer = functions.authorizer(env, overrides);
    await authorizer(await functions.restEvent('roster'));
    expect(written()).toMatchObject([{ outcome: 'policy', Decisions: 1 }]);
  });

  test('without a decision counts none: a refused credential, a fault of ours', async () => {
    const { reader } = functions.world;
    const authorizer = functions.authorizer(METRICS, {
      ...overrides,
      reader: { ...reader, getMany: () => Promise.reject(new TypeError('secret of somebody')) },
    });
    await expect(authorizer(await functions.event('roster', { aud: 'other' }))).rejects.toThrow();
    await expect(authorizer(await functions.event('roster'))).rejects.toThrow();
    const both = written();
    expect(both).toMatchObject([{ outcome: 'unauthorized' }, { outcome: 'internal', Faults: 1 }]);
    for (const line of both) expect(line).not.toHaveProperty('Decisions');
  });

  test(`counts its own reads, alone or beside others that begin and end meanwhile (${again()})`, async () => {
    const { below, oneIn } = createRandom(SEED);
    const options = { namespace: 'n', service: 's', now: () => 0, write: writeMetrics };
    const { counted, withCounts, observe } = createRequestMetrics(options);
    const read = async (_: unknown, notes = noNotes()) => {
      await setImmediate();
      notes.calls += 1;
      return [];
    };
    const { getMany } = withCounts({ getMany: read, getSnapshot: read, list: vi.fn(), listAll: read });
    const reads: number[] = [];
    const running = new Set<Promise<void>>();
    for (let request = 0; request < 300; request++) {
      const most = below(4);
      reads.push(most);
      const served = counted(async (count) => {
        for (let made = 0; made < most; made++) await getMany([]);
        if (most === 0) await setImmediate();
        observe({ isStale: most === 2, isKept: false } as Observation);
        count({ outcome: String(request) });
      }).finally(() => running.delete(served));
      running.add(served);
      if (oneIn(3)) await Promise.race(running);
      if (oneIn(5)) await Promise.all(running);
    }
    await Promise.all(running);
    const lines = written().sort((a, b) => Number(a.outcome) - Number(b.outcome));
    const expected = reads.map((most) => ({ ...(most && { Calls: most }), ...(most === 2 && { Stale: 1 }) }));
    expect(lines.map(({ Calls, Stale }) => defined({ Calls, Stale }))).toEqual(expected);
  });
});

describe('a request to the AuthZEN API', () => {
  const { evaluation } = functions;
  const service = 'authzen';

  test('is a line with the decisions that its caller sees: of an evaluation, of a batch', async () => {
    const ask = functions.authzen(METRICS);
    await ask('/access/v1/evaluation', evaluation('read'));
    expect(functions.take()).toMatchObject([
      { service, outcome: 'role', Decisions: 1, Allowed: 1, ColdStarts: 1 },
    ]);
    const evaluations = [...Array.from({ length: 20 }, () => evaluation('read')), evaluation('write')];
    await ask('/access/v1/evaluations', { evaluations });
    expect(functions.take()).toMatchObject([{ outcome: 'evaluations', Decisions: 21, Allowed: 20 }]);
  });

  test('a search decides for its caller and counts no decision, only what it read', async () => {
    const ask = functions.authzen(METRICS, overrides);
    const { subject, resource } = evaluation('read');
    await ask('/access/v1/search/action', { subject, resource });
    const [line, ...more] = written();
    expect(more).toEqual([]);
    expect(line).toMatchObject({ service, outcome: 'search', Calls: expect.any(Number) });
    expect(line).not.toHaveProperty('Decisions');
  });

  test('that is refused is a line too', async () => {
    const ask = functions.authzen(METRICS, overrides);
    await ask('/access/v1/evaluation', evaluation('read'), { authorization: 'Bearer nobody' });
    await ask('/access/v1/evaluation', { subject: 7 });
    await ask('/nowhere', {});
    expect(written().map(({ outcome }) => outcome)).toEqual(['unauthorized', 'invalid', 'invalid']);
  });

  test('shares a line, where lines are written later, with up to 99 of its outcome and tenant', async () => {
    const later: (() => string)[] = [];
    const ask = functions.authzen(METRICS, { writeMetricsLater: (line) => later.push(line) });
    for (const name of ['write', ...Array.from({ length: 101 }, () => 'read'), 'write'])
      await ask('/access/v1/evaluation', evaluation(name));
    const sizes = () =>
      later.splice(0).map((line) => {
        const { outcome, Decisions, Allowed = [], Latency } = JSON.parse(line());
        return [outcome, Latency.length, Decisions.length, Allowed.length].join(' ');
      });
    expect(sizes()).toEqual(['permission_unknown 2 2 0', 'role 100 100 100', 'role 1 1 1']);
    await ask('/access/v1/evaluation', evaluation('read'));
    expect(sizes()).toEqual(['role 1 1 1']);
  });
});
