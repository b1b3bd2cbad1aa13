import { expect, test } from 'vitest';
import { createApis, createWebSocketApis } from '../../local/sample/apis.ts';
import { createSampleWorld } from '../../local/sample/world.ts';
import { createWorld } from '../support/world.ts';

/** The sample world of `gatehouse dev`. Its decisions: docs/examples/sample.test.yaml. */

const world = await createWorld();
const sample = await createSampleWorld(world.provision);

const writes = () => world.calls.filter(({ operation }) => /Write|Put|Update|Delete/.test(operation)).length;

test('provisioned again on the same table: every id is the same, and nothing is written but the record of it', async () => {
  const before = writes();
  expect(await createSampleWorld(world.provision)).toEqual(sample);
  expect(writes()).toBe(before + 1);
});

test('the gateway has exactly the routes that rules cover', async () => {
  const rules = (await world.run('route.list', { limit: 100 })) as unknown as {
    items: { method: string; path: string }[];
  };
  const authorizer = async () => ({ isAuthorized: false, context: {} });
  const routed = createApis({ simple: authorizer, policy: authorizer }).map(({ routes }) =>
    routes.map(({ key }) => key).filter((key) => key !== '$default' && key !== 'ANY /{proxy+}'),
  );
  const covered = rules.items
    .map(({ method, path }) => `${method} ${path}`)
    .filter((key) => key !== 'CONNECT /$connect')
    .sort();
  expect(covered.length).toBe(rules.items.length - createWebSocketApis({ policy: authorizer }).length);
  expect(routed.map((keys) => keys.sort())).toEqual(routed.map(() => covered));
});
