import { describe, expect, test } from 'vitest';
import type { VerifiedClaims } from '../../../authorizer/index.ts';
import { createCellsOf, type Decide } from '../../../authorizer/policies/cells.ts';
import type { RouteRule } from '../../../authorizer/routes/rule.ts';
import type { AccessBound } from '../../../engine/index.ts';
import { rule } from '../support.ts';

/** Which questions are asked for the routes of an API, and what becomes of the answers. */
const WHO = 'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const BOUND: AccessBound = {
  scopes: ['location:north', 'location:south', 'tenant:school'],
  permissions: ['grades', 'north', 'tickets:read:ticket', 'tickets:close:ticket'],
};

interface Asked {
  readonly permission: string;
  readonly scope: string;
}

function setUp(isAllowed: (question: Asked) => boolean = () => true, bound: AccessBound | undefined = BOUND) {
  const asked: string[] = [];
  const wanted: unknown[] = [];
  const cellsOf = createCellsOf({
    accessBoundOf: async (_, what) => {
      wanted.push(what);
      return bound;
    },
    mostQuestions: 10,
  });
  const decide: Decide = async (questions) => {
    asked.push(...questions.map(({ permission, scope }) => `${permission} at ${scope}`));
    return questions.map(isAllowed);
  };
  const cells = async (rules: readonly RouteRule[], given: Record<string, unknown> = {}) => {
    const claims = given as unknown as VerifiedClaims;
    const found = await cellsOf({ subject: WHO, claims, rules, at: 5, decide });
    return found?.map(({ rule: made, values }) => `${made.id} ${[...values].join(' ')}`.trim());
  };
  return { asked, wanted, cells };
}

/** The bound is computed again while its questions are decided. */
const twice = (question: object) => [question, question];

describe('a route asks', () => {
  test.each<[string, RouteRule, string[]]>([
    [
      'for each scope of its type',
      rule('r', 'GET', '/{id}', 'grades', 'location:{id}'),
      ['r id,north', 'r id,south'],
    ],
    ['once, where all is said', rule('r', 'GET', '/', 'grades', 'tenant:school'), ['r']],
    [
      'for each permission of its form',
      rule('r', 'GET', '/{a}', 'tickets:{a}:ticket', 'tenant:school'),
      ['r a,read', 'r a,close'],
    ],
    [
      'for a page, and for no permission of three words',
      rule('r', 'GET', '/{p}', '{p}', 'tenant:school'),
      ['r p,grades', 'r p,north'],
    ],
    [
      'for one value where a parameter stands twice',
      rule('r', 'GET', '/{x}', '{x}', 'location:{x}'),
      ['r x,north'],
    ],
    [
      'for each pair of values with a colon between',
      rule('r', 'GET', '/{a}/{b}', 'tickets:{a}:{b}', 'tenant:school'),
      ['r a,read b,ticket', 'r a,close b,ticket'],
    ],
    ['nothing where a claim is missing', rule('r', 'GET', '/', 'grades', 'tenant:{claim:t}'), []],
  ])('%s', async (_, made, expected) => {
    expect(await setUp().cells([made])).toEqual(expected);
  });

  test('with the claims of the caller', async () => {
    const { asked, cells } = setUp();
    const made = rule('r', 'GET', '/', 'grades', 'tenant:{claim:t}');
    expect(await cells([made], { t: 'mine' })).toEqual(['r']);
    for (const t of ['a*', 'a:b', '', 7, ['x']]) expect(await cells([made], { t })).toEqual([]);
    expect(asked).toEqual(['grades at tenant:mine']);
  });

  test('only what is decided as allowed', async () => {
    const made = rule('r', 'GET', '/{id}', 'grades', 'location:{id}');
    expect(await setUp(({ scope }) => scope.endsWith('south')).cells([made])).toEqual(['r id,south']);
  });

  test('for permissions that are exactly of its form, with values that may stand in a path', async () => {
    const made = rule('r', 'GET', '/{p}', 'a.{p}', 'tenant:school');
    const permissions = ['a.b', 'axb', `a.${'v'.repeat(129)}`];
    expect(await setUp(() => true, { scopes: [], permissions }).cells([made])).toEqual(['r p,b']);
  });

  test('for permissions where one of several takes them from the path', async () => {
    const { wanted, cells } = setUp();
    const rules = [
      rule('r', 'GET', '/', 'grades', 'tenant:school'),
      rule('s', 'GET', '/{p}', '{p}', 'tenant:school'),
    ];
    await cells(rules);
    expect(wanted).toEqual(twice({ types: new Set(), withPermissions: true, at: 5 }));
  });

  test('for the scopes of the types that it takes from the path, and for none where it takes nothing', async () => {
    const { wanted, cells } = setUp();
    await cells([rule('r', 'GET', '/', 'grades', 'tenant:school')]);
    expect(wanted).toEqual([]);
    await cells([rule('r', 'GET', '/{id}/{p}', '{p}', 'location:{id}')]);
    expect(wanted).toEqual(twice({ types: new Set(['location']), withPermissions: true, at: 5 }));
  });
});

describe('there are none to tell', () => {
  const open = rule('open', 'GET', '/{id}', 'grades', 'location:{id}');
  const header = rule('r', 'GET', '/', 'grades', 'location:{header:x-location}');
  const namesake = rule('r', 'GET', '/{id}', '{header:id}', 'location:{id}');
  const rest = rule('r', 'GET', '/{p+}', '{p}', 'tenant:school');
  const pair = rule('r', 'GET', '/{a}/{b}', '{a}-{b}', 'tenant:school');
  const ofThree = rule('r', 'GET', '/{a}/{b}', '{a}-{b}:x:y', 'tenant:school');
  test.each<[string, RouteRule, string[] | undefined]>([
    // Whether it may be used, nobody knows before the header is there.
    ['a header, be it used or not', header, undefined],
    ['a header with the name of a parameter, unless it may not be used', namesake, ['open id,north']],
    ['all that is left of the path, unless it may not be used', rest, ['open id,north']],
    ['two values side by side, unless it may not be used', pair, ['open id,north']],
    ['two values side by side in three words, unless it may not be used', ofThree, ['open id,north']],
  ])('where a route is made of %s', async (_, made, withoutIt) => {
    const permissions = ['grades', 'a-b', 'a-b:x:y'];
    expect(await setUp(() => true, { ...BOUND, permissions }).cells([open, made])).toBeUndefined();
    const isOpen = ({ permission, scope }: Asked) => permission === 'grades' && scope === 'location:north';
    const closed = setUp(isOpen, { scopes: ['location:north'], permissions: [] });
    expect(await closed.cells([open, made])).toEqual(withoutIt);
  });

  const ASKED = { subject: WHO, claims: {} as VerifiedClaims, rules: [open], at: 5 };

  test('where there is no bound on what the caller may be allowed', async () => {
    const cellsOf = createCellsOf({ accessBoundOf: async () => undefined, mostQuestions: 10 });
    expect(await cellsOf({ ...ASKED, decide: async () => [] })).toBeUndefined();
  });

  test.each<[string, AccessBound | undefined]>([
    ['has more permissions', { ...BOUND, permissions: [...BOUND.permissions, 'menu'] }],
    ['has more scopes', { ...BOUND, scopes: [...BOUND.scopes, 'location:east'] }],
    ['is none', undefined],
  ])('where the bound %s when it is computed again', async (_, again) => {
    const bounds = [BOUND, again];
    const cellsOf = createCellsOf({ accessBoundOf: async () => bounds.shift(), mostQuestions: 10 });
    const decide: Decide = async (questions) => questions.map(() => true);
    expect(await cellsOf({ ...ASKED, decide })).toBeUndefined();
  });

  test('where the caller is somebody else by now, or the routes are others', async () => {
    const cellsOf = createCellsOf({ accessBoundOf: async () => BOUND, mostQuestions: 10 });
    expect(await cellsOf({ ...ASKED, decide: async () => undefined })).toBeUndefined();
  });

  test('where a template has many values, in time linear in its length', async () => {
    const names = 'abcdefghijkl'.split('');
    const path = `/${names.map((name) => `{${name}}`).join('/')}`;
    const made = rule('r', 'GET', path, `${names.map((name) => `{${name}}`).join('')}z`, 'tenant:school');
    const permissions = Array.from({ length: 10 }, (_, n) => 'a'.repeat(128 - n));
    expect(await setUp(() => true, { scopes: [], permissions }).cells([open, made])).toEqual([]);
  });

  test('where one route alone would ask too many questions, and none is asked', async () => {
    const scopes = Array.from({ length: 4 }, (_, n) => `location:l${n}`);
    const permissions = Array.from({ length: 4 }, (_, n) => `p${n}`);
    const { asked, cells } = setUp(() => true, { scopes, permissions });
    expect(await cells([rule('r', 'GET', '/{l}/{p}', '{p}', 'location:{l}')])).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('where there would be too many questions', async () => {
    const withScopes = (length: number) => {
      const scopes = Array.from({ length }, (_, n) => `location:l${n}`);
      return setUp(() => true, { scopes, permissions: [] }).cells([open]);
    };
    expect(await withScopes(10)).toHaveLength(10);
    expect(await withScopes(11)).toBeUndefined();
  });
});

test('a scope whose path has several spellings is left out, and the others stay', async () => {
  const bound = {
    scopes: ['location:auth0|abc', 'location:ann@example.org', 'location:a=b+c~d'],
    permissions: [],
  };
  const { cells } = setUp(() => true, bound);
  expect(await cells([rule('r', 'GET', '/{id}', 'grades', 'location:{id}')])).toEqual([
    'r id,ann@example.org',
    'r id,a=b+c~d',
  ]);
  const mine = rule('mine', 'GET', '/mine', 'grades', 'location:{claim:sub}');
  expect(await cells([mine], { sub: 'auth0|abc' })).toEqual(['mine']);
});
