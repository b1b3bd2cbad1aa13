import { expect, test } from 'vitest';
import { createDecisionMetrics } from '../../engine/metrics.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createSchool, PLACE } from './fake-table.ts';

/** The lines that CloudWatch reads: one for each decision, in the Embedded Metric Format. */
function watched() {
  const school = createSchool();
  const lines: string[] = [];
  const observe = createDecisionMetrics({
    namespace: 'Gatehouse',
    service: 'shop',
    write: (line) => lines.push(line),
  });
  const written = () => lines.splice(0).map((line) => JSON.parse(line));
  return { ...school, engine: school.newEngine({ observe }), written };
}

const METRICS = ['Allowed', 'CacheHits', 'Calls', 'ColdStarts', 'Faults', 'Latency', 'ReadUnits', 'Stale'];

test('a cold decision and a warm one', async () => {
  const { ask, engine, written } = watched();
  await ask(engine);
  await ask(engine);
  const shared = {
    service: 'shop',
    outcome: 'role',
    tenant: `location:${PLACE.id}`,
    permission: 'dashboard',
    consistency: 'cached',
    Allowed: 1,
    Faults: 0,
    Stale: 0,
    Latency: 0,
  };
  const lines = written();
  expect(lines).toMatchObject([
    { ...shared, CacheHits: 0, Calls: 1, ReadUnits: 5, ColdStarts: 1 },
    { ...shared, CacheHits: 1, Calls: 0, ReadUnits: 0, ColdStarts: 0 },
  ]);
  for (const { _aws } of lines) {
    expect(_aws.CloudWatchMetrics).toHaveLength(1);
    const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
    expect([Namespace, Dimensions]).toEqual(['Gatehouse', [['service', 'outcome']]]);
    expect(Metrics.map(({ Name }: { Name: string }) => Name).sort()).toEqual(METRICS);
  }
});

test('a refusal, and a fault with its code', async () => {
  const { ask, engine, written, hold, reads } = watched();
  await ask(engine, 1);
  hold();
  const answer = ask(engine, 2);
  reads.at(-1)?.fail(new GatehouseError('throttled', 'no'));
  await expect(answer).rejects.toThrow();
  expect(written()).toMatchObject([
    { outcome: 'subject_unknown', Allowed: 0, Faults: 0 },
    { outcome: 'throttled', Allowed: 0, Faults: 1, tenant: '' },
  ]);
});

test('the subject is in no line', async () => {
  const { ask, engine, written } = watched();
  await ask(engine);
  expect(JSON.stringify(written())).not.toContain('user:');
});
