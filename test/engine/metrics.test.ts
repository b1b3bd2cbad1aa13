import { expect, test } from 'vitest';
import { createEmbeddedMetrics } from '../../engine/embedded-metrics.ts';
import { createDecisionMetrics, createListMetrics } from '../../engine/metrics.ts';
import { GatehouseError } from '../../table/errors.ts';
import { createLogged } from '../support/log.ts';
import { createSchool, PLACE, userRef } from './fake-table.ts';

/** The lines that CloudWatch reads, in the Embedded Metric Format. */
function watched() {
  const school = createSchool();
  const { write, take } = createLogged();
  const observe = createDecisionMetrics({ namespace: 'Gatehouse', service: 'shop', write });
  return { ...school, engine: school.newEngine({ observe }), written: take };
}

test('a cold decision and a warm one', async () => {
  const { ask, engine, written } = watched();
  await ask(engine);
  await ask(engine);
  const shared = {
    service: 'shop',
    outcome: 'role',
    tenant: `location:${PLACE.id}`,
  };
  const metrics = [
    { Decisions: 1, Allowed: 1, Calls: 1, ReadUnits: 5, ColdStarts: 1, Latency: 0 },
    { Decisions: 1, Allowed: 1, CacheHits: 1, Kept: 1, Latency: 0 },
  ];
  const lines = written();
  expect(lines).toEqual(metrics.map((each) => ({ _aws: expect.any(Object), ...shared, ...each })));
  for (const [position, { _aws }] of lines.entries()) {
    expect(_aws.CloudWatchMetrics).toHaveLength(1);
    const [{ Namespace, Dimensions, Metrics }] = _aws.CloudWatchMetrics;
    expect([Namespace, Dimensions]).toEqual(['Gatehouse', [['service', 'outcome']]]);
    expect(Metrics.map(({ Name }: { Name: string }) => Name).sort()).toEqual(
      Object.keys(metrics[position] ?? {}).sort(),
    );
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
    { outcome: 'subject_unknown', Decisions: 1 },
    { outcome: 'throttled', Faults: 1 },
  ]);
});

test('decisions that are made together are one line for each outcome, and count once what they took', async () => {
  const { engine, written } = watched();
  const asked = [...Array.from({ length: 30 }, () => 'dashboard'), 'nothing', 'of', 'these', 'exists'];
  await engine.checkMany(
    asked.map((permission) => ({
      subject: `user:${userRef(0).id}`,
      permission,
      scope: `location:${PLACE.id}`,
    })),
  );
  const lines = written();
  expect(lines).toMatchObject([
    { outcome: 'role', Decisions: 30, Allowed: 30, Calls: 1, Latency: 0 },
    { outcome: 'permission_unknown', Decisions: 4 },
  ]);
  expect(lines[1]).not.toHaveProperty('Calls');
});

test('a line is JSON, whatever names and outcomes hold', () => {
  const { write, take } = createLogged();
  const count = createEmbeddedMetrics({ namespace: 'a "b"', service: 'c\\d', write, now: () => 7 });
  count('e\n"f"', { Decisions: 2, Faults: 0, Latency: 0 }, '"g"');
  count('role', { Latency: 1.5 }, undefined);
  count('role', {});
  const directive = { Namespace: 'a "b"', Dimensions: [['service', 'outcome']] };
  const aws = (...names: readonly string[]) => ({
    Timestamp: 7,
    CloudWatchMetrics: [{ ...directive, Metrics: names.map((Name) => ({ Name })) }],
  });
  expect(take()).toEqual([
    {
      service: 'c\\d',
      outcome: 'e\n"f"',
      tenant: '"g"',
      _aws: aws('Decisions', 'Latency'),
      Decisions: 2,
      Latency: 0,
    },
    { service: 'c\\d', outcome: 'role', _aws: aws('Latency'), Latency: 1.5 },
    { service: 'c\\d', outcome: 'role', _aws: aws() },
  ]);
});

test('a page of a list: the rows that it looked at, and how many of them were refused', () => {
  const { write, take } = createLogged();
  const observe = createListMetrics({ namespace: 'Gatehouse', service: 'shop', write });
  observe({ looked: 51, dropped: 3 });
  expect(take()).toMatchObject([{ outcome: 'page', Rows: 51, Dropped: 3 }]);
});
