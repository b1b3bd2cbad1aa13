import { describe, expect, test } from 'vitest';
import { createExplainer, createLists, type Explainer, type Lists } from '../../engine/index.ts';
import { createLightWorld } from '../support/world.ts';

/**
 * Every public function checks its arguments: it never throws but rejects, with `invalid` and the field, and
 * reads nothing.
 */
const [SUBJECT, PERMISSION, SCOPE] = [
  'user:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  'home',
  'location:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
];

const world = await createLightWorld();
const engine = world.newEngine();
const parts = { reader: world.reader, engine, clock: world.clock };
const lists: Lists = createLists(parts);
const explainer: Explainer = createExplainer(parts);

type Loose = Readonly<Record<string, unknown>>;
const call = (fn: unknown, ...args: unknown[]) => (fn as (...args: unknown[]) => Promise<unknown>)(...args);
const of = (given: Loose): Loose => ({ subject: SUBJECT, permission: PERMISSION, scope: SCOPE, ...given });
const TAKES: Readonly<Record<string, readonly [fn: unknown, ...names: readonly string[]]>> = {
  check: [engine.check, 'subject', 'permission', 'scope'],
  checkWithRoles: [engine.checkWithRoles, 'subject', 'permission', 'scope'],
  effectiveRoles: [engine.effectiveRoles, 'subject', 'scope'],
  explain: [explainer.explain, 'subject', 'permission', 'scope'],
  listPermissions: [lists.listPermissions, 'subject', 'scope'],
  listScopes: [lists.listScopes, 'subject', 'permission'],
  listSubjects: [lists.listSubjects, 'permission', 'scope'],
};
/** Each function with a question and options, whatever they are. */
interface Called {
  readonly names: readonly string[];
  readonly call: (question: Loose, options: unknown) => Promise<unknown>;
}
const functions: Readonly<Record<string, Called>> = {
  ...Object.fromEntries(
    Object.entries(TAKES).map(([name, [fn, ...names]]): [string, Called] => [
      name,
      { names, call: (q, options) => call(fn, ...names.map((each) => of(q)[each]), options) },
    ]),
  ),
  checkMany: { names: [], call: (q, options) => call(engine.checkMany, [of(q)], options) },
  session: {
    names: ['subject', 'scope'],
    call: (q, options) => {
      const given =
        typeof options === 'object' && options !== null ? { permissions: ['home'], ...options } : options;
      return call(engine.session, of(q).subject, of(q).scope, given ?? null);
    },
  },
};

/** The call returns a promise that rejects, and the table is not read. */
async function expectInvalid(field: string, work: () => Promise<unknown>) {
  world.calls.length = 0;
  let promise: Promise<unknown> | undefined;
  expect(() => {
    promise = work();
  }).not.toThrow();
  await expect(promise).rejects.toMatchObject({ name: 'GatehouseError', code: 'invalid', field });
  expect(world.calls).toEqual([]);
}

describe.each(Object.keys(functions))('%s', (name) => {
  const { names, call: run } = functions[name] as (typeof functions)[string];

  test('refuses texts of a wrong type or length', async () => {
    for (const field of names)
      for (const value of [undefined, null, '', 7, {}, [], Symbol('x'), new Date(0), 'x'.repeat(1_025)])
        await expectInvalid(field, () => run({ [field]: value }, {}));
  });

  test('refuses an instant that is none', async () => {
    const { NaN: none, POSITIVE_INFINITY: never } = Number;
    for (const at of [none, never, -never, 8.64e15 + 2, '2026-01-01', new Date(0), null, 1n])
      await expectInvalid('at', () => run({}, { at }));
  });

  test('refuses a read consistency that is none', async () => {
    for (const consistency of ['stong', '', null, 7, {}, ['strong'], { atleast: 'gh1.0' }])
      await expectInvalid('consistency', () => run({}, { consistency }));
    for (const atLeast of ['', 'gh1.', 'token', undefined, null, 7])
      await expectInvalid('consistency.atLeast', () => run({}, { consistency: { atLeast } }));
  });

  test('refuses options that are none', async () => {
    for (const options of [null, 7, 'strong']) await expectInvalid('options', () => run({}, options));
  });

  test('refuses malformed names of the right type without an error', async () => {
    const nonsense = Object.fromEntries(names.map((field) => [field, 'no such#thing']));
    await expect(run(nonsense, {})).resolves.not.toThrow();
  });
});

describe('particular arguments', () => {
  const check = (options: object) => call(engine.check, SUBJECT, PERMISSION, SCOPE, options);
  test('of a check', async () => {
    await expectInvalid('credential', () => check({ credential: 'token:x' }));
    await expectInvalid('credential.ref', () => check({ credential: {} }));
    await expectInvalid('credential.hash', () => check({ credential: { ref: 'token:x', hash: 7 } }));
    await expectInvalid('prefetch', () => check({ prefetch: SCOPE }));
    await expectInvalid('prefetch', () => check({ prefetch: [SCOPE, 7] }));
    const groups = { issuer: 'https://login.example.com', ids: ['staff'], until: 1 };
    await expect(check({ groups })).resolves.toMatchObject({ allowed: expect.any(Boolean) });
    await expectInvalid('groups', () => check({ groups: 'staff' }));
    await expectInvalid('groups.issuer', () => check({ groups: { ...groups, issuer: 'x'.repeat(513) } }));
    await expectInvalid('groups.ids', () =>
      check({ groups: { ...groups, ids: Array(1_001).fill('staff') } }),
    );
    await expectInvalid('groups.ids.1', () => check({ groups: { ...groups, ids: ['a', 'x'.repeat(257)] } }));
    for (const until of [undefined, Number.POSITIVE_INFINITY, Number.NaN, '2026-01-01'])
      await expectInvalid('groups.until', () => check({ groups: { ...groups, until } }));
  });

  test('of many checks: named by their positions', async () => {
    const good = of({});
    const groups = { issuer: 'https://login.example.com', ids: ['staff'], until: 1 };
    const many = (...subjects: readonly string[]) =>
      call(
        engine.checkMany,
        subjects.map((subject) => of({ subject })),
        { groups },
      );
    await expect(many(SUBJECT, SUBJECT)).resolves.toHaveProperty('decisions.length', 2);
    await expectInvalid('groups', () => many(SUBJECT, 'user:other'));
    await expectInvalid('requests', () => call(engine.checkMany, undefined));
    await expectInvalid('requests', () => call(engine.checkMany, Array(1_001).fill(good)));
    expect((await engine.checkMany(Array(1_000).fill(good))).decisions).toHaveLength(1_000);
    await expectInvalid('requests.1', () => call(engine.checkMany, [good, null]));
    await expectInvalid('requests.1.scope', () => call(engine.checkMany, [good, { ...good, scope: '' }]));
    await expectInvalid('requests.0.at', () => call(engine.checkMany, [{ ...good, at: Number.NaN }]));
  });

  test('of questions that are built from items', async () => {
    await expectInvalid('ask', () => call(engine.checkAsked, undefined));
    await expectInvalid('ask', () => call(engine.checkManyAsked, [undefined]));
    await expectInvalid('asks', () => call(engine.checkManyAsked, () => undefined));
    await expectInvalid('ask', () => call(engine.decideAsked, [undefined]));
    await expectInvalid('asks', () => call(engine.decideAsked, () => undefined));
    // Their names come from routes and tokens: malformed ones are refused, and no error.
    const { decision } = await engine.checkAsked(() => ({ subject: '', permission: '', scope: '' }));
    expect(decision).toMatchObject({ allowed: false });
  });

  test('of a question that cannot be built', async () => {
    for (const each of [engine, world.newEngine({ observe: () => {} })]) {
      const ask = () => {
        throw new Error('broken');
      };
      let promise: Promise<unknown> | undefined;
      expect(() => {
        promise = each.checkAsked(ask);
      }).not.toThrow();
      await expect(promise).rejects.toThrow('broken');
    }
  });

  test('of a session and of searches', async () => {
    const session = (permissions: unknown) => call(engine.session, SUBJECT, SCOPE, { permissions });
    await expectInvalid('options', () => call(engine.session, SUBJECT, SCOPE));
    await expectInvalid('permissions', () => session(undefined));
    await expectInvalid('permissions', () => session(Array(1_001).fill('home')));
    await expectInvalid('permissions.1', () => session(['home', '']));
    for (const kind of ['menu', '', null, 7])
      await expectInvalid('kind', () => call(lists.listPermissions, SUBJECT, SCOPE, { kind }));
    for (const type of ['', null, 7, 'x'.repeat(1_025)])
      await expectInvalid('type', () => call(lists.listScopes, SUBJECT, PERMISSION, { type }));
    for (const limit of [0, 1_001, 1.5, '7', null])
      await expectInvalid('limit', () => call(lists.listSubjects, PERMISSION, SCOPE, { limit }));
    for (const cursor of ['', 'x', 7, null])
      await expectInvalid('cursor', () => call(lists.listScopes, SUBJECT, PERMISSION, { cursor }));
  });
});
