import { describe, expect, test } from 'vitest';
import { createApis, createWebSocketApis } from '../../local/sample/apis.ts';
import { createSampleWorld, type SampleWorld } from '../../local/sample/world.ts';
import { createWorld } from '../support/world.ts';

/** The sample world of `gatehouse dev`: its decisions, and that a second start changes nothing. */

const world = await createWorld();
const sample: SampleWorld = await createSampleWorld(world.provision);
world.settle();
const engine = world.newEngine();

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

const idOf = async (who: string): Promise<string> =>
  who === 'robot'
    ? `technical-user:${sample.platform.robot}`
    : `user:${(await world.run('user.read', { email: who })).id}`;

type Place = keyof SampleWorld['facilities'] | 'account' | 'routes' | 'timetables';
const TYPES: Readonly<Record<Place, string>> = {
  client: 'client',
  harbour: 'project',
  gardens: 'project',
  lighthouse: 'building',
  boathouse: 'building',
  orangery: 'building',
  lobby: 'zone',
  reception: 'zone',
  heatPump: 'device',
  account: 'account',
  routes: 'workstream',
  timetables: 'workstream',
};
const refOf = (place: Place) => {
  const places: Readonly<Record<Place, string>> = { ...sample.facilities, ...sample.platform };
  return `${TYPES[place]}:${places[place]}`;
};

const [nora, theo, rita, carl, gwen] = ['nora', 'theo', 'rita', 'carl', 'gwen'].map(
  (name) => `${name}@northwind.example`,
) as [string, string, string, string, string];
const [petra, milo, robot] = ['petra@bluefin.example', 'milo@bluefin.example', 'robot'] as const;

describe('a decision of the sample world', () => {
  test.each<[who: string, what: string, where: Place, reason: string]>([
    // A role at the client applies everywhere below it.
    [nora, 'doors:read:door', 'client', 'role'],
    [nora, 'hvac:set:climate', 'lighthouse', 'role'],
    [nora, 'hvac:set:climate', 'orangery', 'not_subscribed'],
    [nora, 'visitors', 'boathouse', 'role'],
    // A role at a project: its buildings, their zones and devices; not another project, not the client.
    [theo, 'doors:read:door', 'harbour', 'role'],
    [theo, 'doors:open:door', 'lighthouse', 'role'],
    [theo, 'doors:open:door', 'orangery', 'no_grant'],
    [theo, 'doors:read:door', 'gardens', 'no_grant'],
    [theo, 'doors:read:door', 'client', 'no_grant'],
    // The subscription is for one building and everything in it.
    [theo, 'hvac:set:climate', 'lighthouse', 'role'],
    [theo, 'hvac:read:climate', 'heatPump', 'role'],
    [theo, 'hvac:set:climate', 'boathouse', 'not_subscribed'],
    // A role at one building.
    [rita, 'visitors', 'lighthouse', 'role'],
    [rita, 'doors:read:door', 'lobby', 'role'],
    [rita, 'visitors', 'boathouse', 'no_grant'],
    [rita, 'doors:read:door', 'harbour', 'no_grant'],
    [rita, 'doors:open:door', 'lighthouse', 'no_grant'],
    // One assignment has ended, the other has not.
    [carl, 'doors:open:door', 'lighthouse', 'no_grant'],
    [carl, 'doors:open:door', 'boathouse', 'role'],
    [carl, 'hvac:set:climate', 'boathouse', 'not_subscribed'],
    [gwen, 'doors:open:door', 'orangery', 'role'],
    [gwen, 'doors:open:door', 'lighthouse', 'no_grant'],
    // The same role at two workstreams: one is licensed.
    [petra, 'reports', 'routes', 'role'],
    [petra, 'reports', 'timetables', 'not_licensed'],
    [milo, 'reports', 'routes', 'no_grant'],
    [robot, 'reports', 'routes', 'role'],
    [robot, 'reports', 'timetables', 'not_licensed'],
    // Users of one world have no access to the other.
    [nora, 'reports', 'routes', 'no_grant'],
    ['tina@school.example', 'doors:read:door', 'lighthouse', 'no_grant'],
    ['ada@school.example', 'hvac:set:climate', 'boathouse', 'admin'],
  ])('%s, %s at %s: %s', async (who, what, where, reason) => {
    const allowed = reason === 'role' || reason === 'admin';
    expect(await engine.check(await idOf(who), what, refOf(where))).toEqual({ allowed, reason });
  });
});
