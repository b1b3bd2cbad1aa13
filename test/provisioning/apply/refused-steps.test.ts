import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PlanAnswer } from '../../../provisioning/index.ts';
import { worldOf } from './support.ts';

/** A plan that cannot be carried out to its end is a problem, and nothing is written. */
const places = (one: string, two: string, role: string) => `
pages: [home]
scopes:
  acme: { type: tenant, id: acme }
  m1: { type: location, id: m1, parent: acme, code: ${one} }
  m2: { type: location, id: m2, parent: acme, code: ${two} }
roles: { a: { id: a, owner: acme, allow: [home] }, b: { id: b, owner: acme, allow: [home] } }
users: { ann: { id: ann, tenant: acme, grants: { acme: [${role}] } } }
`;
const roles = (one: string, two: string) => `
scopes: { acme: { type: tenant, id: acme } }
roles: { ${one}: { id: r1, owner: acme }, ${two}: { id: r2, owner: acme } }
`;
const groups = (externalGroups: string, isOfAll: boolean) => `
scopes: { acme: { type: tenant, id: acme } }
groups: { all: { id: all, scope: acme, allowOnly: true${isOfAll ? ', everyone: true' : ''} } }
users: { ann: { id: ann, tenant: acme } }
externalGroups: [${externalGroups}]
`;
const OF_ALL = '{ scope: acme, issuer: "https://login.example", externalId: all, group: all }';

describe('a plan whose end the commands refuse', () => {
  test.each([
    [
      'codes that are exchanged',
      places('C1', 'C2', 'a'),
      places('C2', 'C1', 'b'),
      'scopes',
      'is that of location m2 then',
    ],
    ['names of roles that are exchanged', roles('x', 'y'), roles('y', 'x'), 'roles', 'is that of x then'],
    [
      'an external group that is one of everyone',
      groups('', true).replace('ann', 'ben'),
      groups(OF_ALL, true),
      0,
      'everyone is in this group',
    ],
  ])('is a problem of the manifest: %s', async (_, before, after, place, message) => {
    const world = await worldOf(before);
    const items = JSON.stringify(world.items());
    const manifest = parse(after);
    const plan = (await world.run('tenant.plan', { manifest, prune: true })) as unknown as PlanAnswer;
    expect(plan.problems).toEqual([
      { path: expect.arrayContaining([place]), message: expect.stringContaining(message) },
    ]);
    await expect(world.run('tenant.apply', { manifest, prune: true })).rejects.toThrow(message);
    expect(JSON.stringify(world.items())).toBe(items);
  });
});
