import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseManifest } from '../../../provisioning/apply/parse.ts';

/** What is right and stands in the wrong place: the problem says where it belongs, with a line that can be copied. */
const WORLD = {
  scopes: { Mercy: { type: 'tenant' }, 'Ward 1': { type: 'location', parent: 'Mercy' } },
  roles: { nurse: {}, 'Night nurse': {} },
  groups: { Nurses: { scope: 'Ward 1', roles: ['nurse'] } },
};
const withUser = (user: object) => ({ ...WORLD, users: { Lou: { email: 'lou@mercy.example', ...user } } });

describe('dates in what has none', () => {
  const until = '2026-03-01';
  const nurse = (scope: string, more: object = { until }) => ({ role: 'nurse', scope, ...more });
  test.each<[string, object, readonly object[]]>([
    [
      'in grants',
      { grants: { Mercy: ['nurse', 'Night nurse'], until } },
      [nurse('Mercy'), { role: 'Night nurse', scope: 'Mercy', until }],
    ],
    ['in a grant', { grants: { Mercy: { roles: ['nurse'], until } } }, [nurse('Mercy')]],
    [
      'in a role of a grant',
      { grants: { Mercy: [{ role: 'nurse', from: until }] } },
      [nurse('Mercy', { from: until })],
    ],
    ['in a list of grants', { grants: [{ tenant: 'Ward 1', role: 'nurse', until }] }, [nurse('Ward 1')]],
    ['in a membership', { groups: [{ name: 'Nurses', until }] }, [nurse('Ward 1')]],
    ['in a mapping of groups', { groups: { Nurses: { until } } }, [nurse('Ward 1')]],
    ['in a global role', { globalRoles: [{ role: 'nurse', until }] }, [nurse('Mercy')]],
  ])('%s: an assignment has them', (_, user, assignments) => {
    const { problems } = parseManifest(withUser(user));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path.slice(0, 2)).toEqual(['users', 'Lou']);
    const [, line] =
      /has no dates, and an assignment has: (assignments: .*)$/.exec(problems[0]?.message ?? '') ?? [];
    expect(parse(String(line))).toEqual({ assignments });
    expect(parseManifest(withUser(parse(String(line)))).problems).toEqual([]);
  });

  test('other mistakes in grants stay what they are', () => {
    expect(parseManifest(withUser({ grants: { Mercy: 'nurse' } })).problems).toEqual([
      { path: ['users', 'Lou', 'grants', 'Mercy'], message: 'must be a list' },
    ]);
  });
});

describe('a key of another place', () => {
  const lineIn = (manifest: object): unknown => {
    const { problems } = parseManifest(manifest);
    expect(problems).toHaveLength(1);
    return parse(/: (\w+: .*)$/.exec(problems[0]?.message.replace('unknown key: ', '') ?? '')?.[1] ?? '');
  };
  test.each<[string, object, object]>([
    [
      'an assignment of a user',
      withUser({ role: 'nurse', scope: 'Mercy', until: '2026-03-01' }),
      { assignments: [{ role: 'nurse', scope: 'Mercy', until: '2026-03-01' }] },
    ],
    [
      'a section in an entry',
      { ...WORLD, scopes: { Mercy: { type: 'tenant', users: { Lou: { email: 'l@m.example' } } } } },
      { users: { Lou: { email: 'l@m.example' } } },
    ],
    [
      'what a role allows, in a group',
      { ...WORLD, groups: { Nurses: { scope: 'Ward 1', allow: ['home'] } } },
      { roles: { Nurses: { allow: ['home'] } } },
    ],
  ])('%s', (_, manifest, line) => {
    const found = lineIn(manifest);
    expect(found).toEqual(line);
    const merged = 'assignments' in line ? withUser(found as object) : { ...WORLD, ...(found as object) };
    expect(parseManifest(merged).problems).toEqual([]);
  });

  test('a key of no place gets those that there are', () => {
    expect(
      parseManifest({ ...WORLD, groups: { Nurses: { scope: 'Ward 1', zzzzzz: 1 } } }).problems[0]?.message,
    ).toMatch(/^unknown key: there are id, name/);
  });
});
