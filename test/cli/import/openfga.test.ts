import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compared, type Question } from '../../../cli/import/imported.ts';
import { importOpenFga } from '../../../cli/import/openfga.ts';
import * as fc from '../../support/fast-check.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-openfga-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Userset {
  readonly this?: object;
  readonly computedUserset?: { readonly relation: string };
  readonly tupleToUserset?: {
    readonly tupleset: { readonly relation: string };
    readonly computedUserset: { readonly relation: string };
  };
  readonly union?: { readonly child: readonly Userset[] };
  readonly intersection?: { readonly child: readonly Userset[] };
  readonly difference?: { readonly base: Userset; readonly subtract: Userset };
}
interface Tuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  readonly condition?: object;
}
/** `folder:x parent doc:1`: who has what, at what. */
const tuple = (text: string, more: Partial<Tuple> = {}): Tuple => {
  const [user = '', relation = '', object = ''] = text.split(' ');
  return { user, relation, object, ...more };
};
type Types = Readonly<
  Record<string, Readonly<Record<string, { readonly is: Userset; readonly direct?: readonly string[] }>>>
>;

const self: Userset = { this: {} };
const computed = (relation: string): Userset => ({ computedUserset: { relation } });
const from = (relation: string, by = 'parent'): Userset => ({
  tupleToUserset: { tupleset: { relation: by }, computedUserset: { relation } },
});
const union = (...child: readonly Userset[]): Userset => ({ union: { child } });
const both = (...child: readonly Userset[]): Userset => ({ intersection: { child } });
const except = (base: Userset, subtract: Userset): Userset => ({ difference: { base, subtract } });

/** `user`, `user:*`, `group#member`, `user with ok`. */
const directOf = (text: string) => {
  const [named = '', condition = ''] = text.split(' with ');
  const [type = '', relation] = named.split('#');
  return type.endsWith(':*')
    ? { type: type.slice(0, -2), wildcard: {}, condition }
    : { type, relation, condition };
};
const modelOf = (types: Types) => ({
  schema_version: '1.1',
  type_definitions: Object.entries(types).map(([type, relations]) => ({
    type,
    relations: Object.fromEntries(Object.entries(relations).map(([name, { is }]) => [name, is])),
    metadata: {
      relations: Object.fromEntries(
        Object.entries(relations).map(([name, { direct = [] }]) => [
          name,
          { directly_related_user_types: direct.map(directOf) },
        ]),
      ),
    },
  })),
});

/** What OpenFGA answers, by the meaning of its relations. Users and relations are few: each is asked at each depth. */
function naive(types: Types, tuples: readonly Tuple[]) {
  const typeOf = (ref: string) => ref.split(':')[0] as string;
  const isDirect = (user: string, direct: readonly string[] = []) => {
    const [who = '', relation] = user.split('#');
    const name = who.endsWith(':*') ? who : typeOf(who) + (relation === undefined ? '' : `#${relation}`);
    return direct.includes(name);
  };
  const has = (user: string, relation: string, object: string, depth: number): boolean => {
    const defined = types[typeOf(object)]?.[relation];
    if (!defined || depth === 0) return false;
    const named = (by: string, direct: readonly string[] | undefined) =>
      tuples.filter(
        (tuple) => tuple.object === object && tuple.relation === by && isDirect(tuple.user, direct),
      );
    const holds = ({ this: self, computedUserset, tupleToUserset, ...is }: Userset): boolean => {
      const { intersection, difference, union } = is;
      if (self)
        return named(relation, defined.direct).some((tuple) => {
          const [who = '', whose] = tuple.user.split('#');
          if (whose !== undefined) return has(user, whose, who, depth - 1);
          return who === user || who === 'user:*';
        });
      if (computedUserset) return has(user, computedUserset.relation, object, depth - 1);
      if (tupleToUserset) {
        const { tupleset, computedUserset: of } = tupleToUserset;
        const { direct } = types[typeOf(object)]?.[tupleset.relation] ?? {};
        return named(tupleset.relation, direct).some((tuple) =>
          has(user, of.relation, tuple.user, depth - 1),
        );
      }
      if (intersection) return intersection.child.every(holds);
      if (difference) return holds(difference.base) && !holds(difference.subtract);
      return union?.child.some(holds) ?? false;
    };
    return holds(defined.is);
  };
  return async ({ subject, permission, scope }: Question): Promise<boolean> =>
    has(`user:${subject}`, permission.split(':')[1] as string, scope, 12);
}

async function imported(types: Types, tuples: readonly Tuple[]) {
  const files = ['model.json', 'tuples.json'].map((name) => join(folder, name));
  writeFileSync(files[0] as string, JSON.stringify(modelOf(types)));
  writeFileSync(files[1] as string, JSON.stringify(tuples));
  const found = await importOpenFga(files, { tenant: 'main', server: undefined });
  return { ...found, answers: await compared({ ...found, ask: naive(types, tuples) }) };
}

const oneOf = <const T>(...all: readonly T[]) => fc.constantFrom(...all);

/** Of three relations, the later may follow from the earlier, from the parent, or be restricted. */
const relations = (isPlain: boolean) =>
  fc.tuple(...['a', 'b', 'c'].map(() => parts(isPlain))).map((all) =>
    Object.fromEntries(
      ['a', 'b', 'c'].map((name, at) => {
        const { direct, follows, inherits, restriction } = all[at] as Parts;
        const earlier = ['a', 'b'].slice(0, at);
        const child = [
          ...(direct.length > 0 ? [self] : []),
          ...earlier.filter((each) => follows.includes(each)).map(computed),
          // In a plain world each relation holds below.
          ...(isPlain ? [from(name)] : inherits.map((each) => from(each))),
        ];
        const whole = child.length === 0 ? self : union(...child);
        const other = computed(earlier[0] ?? '');
        const restricted = restriction === 'and' ? both(whole, other) : except(whole, other);
        const is = restriction === 'none' || at === 0 ? whole : restricted;
        return [name, { is, direct }];
      }),
    ),
  );
const parts = (isPlain: boolean) =>
  fc.record({
    direct: fc.subarray(['user', 'user:*', 'group#member'] as const, { minLength: isPlain ? 3 : 0 }),
    follows: fc.subarray(['a', 'b'] as const),
    inherits: isPlain ? fc.constant([]) : fc.subarray(['a', 'b', 'c'] as const),
    restriction: isPlain ? oneOf('none' as const) : oneOf('none', 'none', 'none', 'and', 'but not'),
  });
type Parts = { readonly [K in 'direct' | 'follows' | 'inherits']: readonly string[] } & {
  readonly restriction: string;
};

const some = (
  users: readonly string[],
  relations: readonly string[],
  objects: readonly string[],
  minLength: number,
  maxLength: number,
) =>
  fc.array(fc.record({ user: oneOf(...users), relation: oneOf(...relations), object: oneOf(...objects) }), {
    minLength,
    maxLength,
  });
const worlds = fc.boolean().chain((isPlain) =>
  fc.record({
    isPlain: fc.constant(isPlain),
    org: relations(isPlain),
    folder: relations(isPlain),
    doc: relations(isPlain),
    tree: fc.subarray([
      tuple('org:acme parent folder:x'),
      tuple('folder:x parent folder:y'),
      tuple('folder:y parent folder:z'),
      tuple('folder:z parent folder:y'),
      tuple('folder:y parent doc:1'),
      tuple('org:acme parent doc:2'),
      tuple('folder:x parent doc:2'),
    ]),
    members: some(['user:ann', 'user:ben', 'group:two#member'], ['member'], ['group:one', 'group:two'], 0, 4),
    granted: some(
      ['user:ann', 'user:ben', 'user:*', 'group:one#member', 'folder:x'],
      ['a', 'b', 'c'],
      ['org:acme', 'folder:x', 'folder:y', 'folder:z', 'doc:1', 'doc:2'],
      1,
      6,
    ),
  }),
);

/** RUNS: how many, for a longer run. */
test('random models of trees: never more than OpenFGA allows, and the same where nothing is left out', async () => {
  const seen = { same: 0, left: 0, allowed: 0 };
  await fc.assert(
    fc.asyncProperty(worlds, async ({ isPlain, org, folder, doc, tree, members, granted }) => {
      const parent = { is: self, direct: ['org', 'folder'] };
      const types: Types = {
        user: {},
        group: { member: { is: self, direct: ['user', 'group#member'] } },
        org,
        folder: { ...(isPlain ? org : folder), parent },
        doc: { ...(isPlain ? org : doc), parent },
      };
      // Of a plain world each object has one parent, and only users and groups are granted something.
      const isSaid = ({ user, object }: Tuple) =>
        user !== 'folder:z' && user !== 'folder:x' ? true : user === 'folder:x' && object === 'folder:y';
      const all = [...tree, ...members, ...granted];
      const { answers, left } = await imported(types, isPlain ? all.filter(isSaid) : all);
      expect(answers?.wider).toEqual([]);
      if (left.length === 0) expect(answers?.narrower).toEqual([]);
      seen[left.length === 0 ? 'same' : 'left'] += 1;
      seen.allowed += answers?.tests.flatMap(({ allow }) => allow).length ?? 0;
    }),
    { numRuns: Number(process.env.RUNS ?? 60) },
  );
  expect(seen.same).toBeGreaterThan(5);
  expect(seen.left).toBeGreaterThan(10);
  expect(seen.allowed).toBeGreaterThan(40);
});

describe('what cannot be said', () => {
  const viewer = { is: union(self, from('viewer')), direct: ['user'] };
  const TYPES: Types = {
    user: {},
    folder: { parent: { is: self, direct: ['folder'] }, owner: { is: self, direct: ['user'] }, viewer },
    doc: {
      parent: { is: self, direct: ['folder'] },
      blocked: { is: self, direct: ['user'] },
      viewer,
      reader: { is: except(computed('viewer'), computed('blocked')) },
    },
  };

  test('`but not` takes with it what it restricts, and nothing else', async () => {
    const { answers, left } = await imported(TYPES, [
      tuple('folder:x parent doc:1'),
      tuple('user:ann viewer folder:x'),
      tuple('user:ann blocked doc:1'),
    ]);
    expect(left.map(({ what }) => what)).toEqual(['reader of doc']);
    expect(answers).toMatchObject({ wider: [], narrower: [] });
    const allow = ['doc:blocked:doc', 'doc:viewer:doc'];
    const wanted = { subject: 'ann', scope: 'doc:1', allow, deny: ['doc:reader:doc'] };
    expect(answers?.tests).toContainEqual(wanted);
  });

  test.each([
    ['two parents', [tuple('folder:x parent doc:1'), tuple('folder:y parent doc:1')], 'one parent'],
    ['a circle', [tuple('folder:x parent folder:y'), tuple('folder:y parent folder:x')], 'circle'],
    ['a condition', [tuple('user:ann viewer doc:1', { condition: { name: 'night' } })], 'condition night'],
    [
      'a relation that no role can have, since it does not hold below',
      [tuple('user:ann owner folder:x')],
      'below',
    ],
    ['a name that no scope can have', [tuple('user:ann viewer', { object: 'doc:a b' })], 'this id'],
    ['a subject that is no user', [tuple('doc:1 viewer folder:x')], 'no part of the model'],
  ] as const)('%s', async (_, tuples, reason) => {
    const { left } = await imported(TYPES, tuples);
    expect(left.map((each) => each.reason).join()).toContain(reason);
  });

  test('tuples of an older model: OpenFGA takes no notice of them', async () => {
    const plain = { is: self, direct: ['user'] };
    const admin = (...places: readonly string[]) => ({
      is: union(self, ...places.map((by) => from('admin', by))),
      direct: ['user', 'group#member'],
    });
    const types: Types = {
      user: {},
      group: { member: { is: self, direct: ['user with ok'] } },
      organization: { admin: plain },
      folder: { org: { is: self, direct: ['organization'] }, admin: admin('org') },
      document: {
        owner: { is: self, direct: ['organization'] },
        parent: { is: self, direct: ['folder', 'folder with ok'] },
        admin: admin('owner', 'parent'),
        viewer: { is: self, direct: ['user with ok'] },
      },
    };
    const stale = [
      'organization:acme parent document:1',
      'user:ann viewer document:1',
      'user:ann member group:all',
      'user:ann keeper group:all',
    ];
    const { answers, left } = await imported(types, [
      ...stale.map((text) => tuple(text)),
      tuple('user:ann admin organization:acme'),
      tuple('user:ben admin folder:x'),
      tuple('folder:x parent document:1'),
      tuple('group:all#member admin document:1'),
    ]);
    expect(left.map(({ what }) => what)).toEqual(stale);
    expect(answers).toMatchObject({ wider: [], narrower: [] });
    const allow = ['document:admin:document'];
    const deny = ['document:viewer:document'];
    expect(answers?.tests).toContainEqual({ subject: 'ben', scope: 'document:1', allow, deny });
    expect(answers?.tests).toContainEqual({
      subject: 'ann',
      scope: 'document:1',
      allow: [],
      deny: [...allow, ...deny],
    });
  });
});
