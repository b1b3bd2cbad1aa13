import { beforeAll, describe, expect, test } from 'vitest';
import {
  type CheckRequest,
  createLists,
  type Engine,
  type Explanation,
  formatExplanation,
} from '../../../engine/index.ts';
import { bringInto, FORMS, type Form } from '../../support/forms.ts';
import { type Row, SECTIONS } from './rows.ts';
import { createRuleWorlds, derivationNames, type RuleWorld } from './world.ts';

/** The rule of SPEC section 2, on every form of the items: checks, sessions and explanations. */
const ALLOWS = ['role', 'admin'];
const ROWS = SECTIONS.flatMap(([, rows]) => rows);

/** Of whom and where lists are made. */
const USERS = 'gina hans asta mix sid stan ada apa den cleo wida nobody dora'.split(' ');
const PLACES = 'Lighthouse Boathouse Mill Strict Nook Library Open VaultOpen VaultOld'.split(' ');

const optionsOf = ({ asked, more }: Row) => ({
  ...more,
  ...(asked.at !== undefined && { at: Date.parse(asked.at) }),
});

/** An explanation has all steps, of which one decides, and nothing after it that was looked at. */
function expectSteps({ steps, acting, allowed, suggestions }: Explanation, { says, reason }: Row): void {
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(steps.filter(({ decides }) => decides)).toHaveLength(1);
  if (allowed) expect([steps.filter(({ passed }) => passed === false), suggestions]).toEqual([[], null]);
  if (acting) return;
  const deciding = steps.find(({ decides }) => decides);
  expect(deciding?.passed).toBe(allowed);
  const [, step, words] = /^(\d)(?: (.*))?$/.exec(says) ?? [];
  if (step === undefined) return;
  expect(deciding).toMatchObject({ step: Number(step) });
  const code = reason.replace('denied_by_role', 'denied');
  const missing = { code, text: expect.stringContaining(words ?? '') };
  // That nothing was found has been said by then.
  if (step !== '9') expect(deciding?.missing).toContainEqual(missing);
  for (const later of steps.slice(Number(step)))
    expect(later).toMatchObject({ passed: null, findings: [], missing: [] });
}

/** Escape sequences that set or reset a colour. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');

/** As text it is printable ASCII in at most 100 columns; colours are optional and change nothing else. */
function expectText(explanation: Explanation): void {
  const text = formatExplanation(explanation);
  expect(text).toContain(`(${explanation.reason})`);
  expect(text).toMatch(/^[\x20-\x7e\n]*$/);
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
  const coloured = formatExplanation(explanation, { colours: true });
  expect(coloured).not.toBe(text);
  expect(coloured.replace(COLOUR, '')).toBe(text);
}

const newWorld = await createRuleWorlds();

describe.each(Object.keys(FORMS) as Form[])('%s', (form) => {
  let world: RuleWorld;
  let engine: Engine;
  /** What a name of the world refers to. */
  const known = (name: string): string => {
    expect(world.ref).toHaveProperty([name]);
    return String(world.ref[name]);
  };
  beforeAll(async () => {
    world = newWorld();
    world.settle();
    const { split, unsplit } = await bringInto(world, form);
    expect([split > 0, unsplit]).toEqual([form !== 'whole', 0]);
    world.settle();
    engine = world.newEngine();
  });

  describe.each(SECTIONS)('%s', (_, rows) => {
    test.each(rows)('$what: $question: $reason', async (row) => {
      const { asked, more, reason, says } = row;
      const decision = { allowed: ALLOWS.includes(reason), reason };
      const options = optionsOf(row);
      const question = world.question(asked);
      // Read, then from the cache, and from what is kept.
      for (const consistency of ['cached', 'cached', 'cached', 'strong'] as const)
        expect(await engine.check(...question, { ...options, consistency })).toEqual(decision);
      const [subject, permission, scope] = question;
      for (const consistency of ['cached', 'strong'] as const) {
        const asking = { ...options, permissions: [permission], consistency };
        const session = await engine.session(subject, scope, asking);
        expect([session.decide(permission), session.can(permission)]).toEqual([decision, decision.allowed]);
      }
      const explanation = await world.explain(asked, more);
      expect(explanation).toMatchObject(decision);
      expectSteps(explanation, row);
      const { allowedBy, deniedBy } = explanation;
      const denials = derivationNames(deniedBy).map((each) => `DENY ${each}`);
      if (decision.allowed && says !== '')
        expect([...derivationNames(allowedBy), ...denials].join('; ')).toBe(says);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
      expect(JSON.stringify(explanation)).not.toContain('@example.com');
      expectText(explanation);
    });
  });

  test('all of them at once', async () => {
    const requests = ROWS.map((row) => {
      const [subject, permission, scope] = world.question(row.asked);
      const { groups, actor, at, ...given } = optionsOf(row) as ReturnType<typeof optionsOf> & {
        at?: number;
      };
      return { subject, permission, scope, given, ...(groups && { groups }), ...(actor && { actor }), at };
    });
    const { decisions } = await engine.checkMany(requests);
    expect(decisions.map(({ reason }) => reason)).toEqual(ROWS.map(({ reason }) => reason));
  });

  test.each<[string, name: string, place: string, tenant: string, readonly string[], at?: string]>([
    ['with all that they inherit', 'hans', 'Lighthouse', 'Northwind', ['caretaker', 'head-caretaker']],
    [
      'of all owners, and of everyone',
      'apa',
      'Open',
      'Library',
      ['apprentice', 'journeyman', 'master', 'visitor'],
    ],
    ['of a global role', 'glen', 'Southwind', 'Southwind', ['everything']],
    ['of an assignment, then', 'carl', 'Lighthouse', 'Northwind', ['caretaker'], '2025-06-29T23:59:59.999Z'],
    ['of one that ended', 'carl', 'Lighthouse', 'Northwind', [], '2025-06-30T00:00:00.000Z'],
    ['of another tenant', 'fred', 'Northwind', 'Northwind', []],
  ])('effective roles are those in force, %s', async (_, name, place, tenant, roles, at) => {
    const found = await engine.effectiveRoles(known(name), known(place), at ? { at: Date.parse(at) } : {});
    expect(found?.tenant).toBe(known(tenant));
    expect([...(found?.roles ?? [])].sort()).toEqual(roles);
  });

  test('lists hold what is allowed, page by page', async () => {
    const { listPermissions, listScopes, listSubjects } = createLists({ ...world, engine });
    const users = USERS.map(known);
    const scopes = PLACES.map(known);
    const permissions = ['doors:open:door', 'lamps:dim:lamp', 'books:lend:book', 'lobby'];
    const requests = users.flatMap((subject) =>
      scopes.flatMap((scope) => permissions.map((permission) => ({ subject, scope, permission }))),
    );
    const { decisions } = await engine.checkMany(requests);
    const allowed = requests.filter((_, n) => decisions[n]?.allowed);
    const isOurs = (item: string) => [users, scopes, permissions].some((all) => all.includes(item));
    const all = async (list: (cursor: string | undefined) => ReturnType<typeof listScopes>) => {
      const items: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list(cursor);
        items.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return items.filter(isOurs).sort();
    };
    const found = (part: Partial<CheckRequest>, of: 'subject' | 'scope' | 'permission') =>
      allowed
        .filter((each) =>
          Object.entries({ ...each, ...part }).every(([key, value]) => each[key as 'scope'] === value),
        )
        .map((each) => each[of])
        .sort();
    // The same in every form.
    expect(permissions.map((permission) => found({ permission }, 'scope').length)).toEqual([17, 12, 15, 30]);
    const limit = 2;
    for (const scope of scopes)
      for (const permission of permissions)
        expect(await all((cursor) => listSubjects(permission, scope, { limit, cursor }))).toEqual(
          found({ scope, permission }, 'subject'),
        );
    for (const subject of users) {
      for (const permission of permissions)
        expect(await all((cursor) => listScopes(subject, permission, { limit, cursor }))).toEqual(
          found({ subject, permission }, 'scope'),
        );
      for (const scope of scopes)
        expect(await all((cursor) => listPermissions(subject, scope, { limit, cursor }))).toEqual(
          found({ subject, scope }, 'permission'),
        );
    }
  });
});
