import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CheckOptions,
  createExplainer,
  type Engine,
  formatExplanation,
  type Observation,
  type TokenGroups,
} from '../../engine/index.ts';
import { Attribute } from '../../table/decision/attributes.ts';
import { MARKERS } from '../../table/decision/split.ts';
import { SPLIT_FORM } from '../../table/form.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey, externalGroupsKey } from '../../table/keys.ts';
import { mean, meaning } from '../support/external-groups.ts';
import { createWorld } from '../support/world.ts';
import { createSchool, ELSEWHERE, PLACE, REVOKED, userRef } from './fake-table.ts';

/** Groups in a token count for its subject, in the roots that name its issuer, while the token lives (SPEC section 16). */
const ISSUER = 'https://login.example.com';
const MANIFEST = `
pages: [lobby, vault, desk]
scopes:
  acme: { id: acme, type: tenant }
  office: { id: office, type: location, parent: acme }
  annex: { id: annex, type: location, parent: acme }
  beta: { id: beta, type: tenant }
roles:
  keeper: { id: keeper, owner: acme, allow: [vault] }
  visitor: { id: visitor, owner: acme, allow: [lobby] }
  clerk: { id: clerk, owner: acme, allow: [desk] }
  foreign: { id: foreign, owner: beta, allow: [vault] }
groups:
  Keepers: { id: keepers, scope: office, roles: [clerk, keeper] }
  Visitors: { id: visitors, scope: acme, roles: [visitor] }
  All: { id: all, scope: acme, everyone: true, roles: [clerk] }
  Foreign: { id: foreign, scope: beta, roles: [foreign] }
users:
  ann: { id: ann }
  kim: { id: kim, groups: [Keepers] }
`;
const [ANN, ACME, OFFICE, ANNEX, BETA] = [
  'user:ann',
  'tenant:acme',
  'location:office',
  'location:annex',
  'tenant:beta',
];
let engine: Engine;
let kept = 0;

const token = (...ids: readonly string[]): TokenGroups => ({
  issuer: ISSUER,
  ids,
  until: world.clock.now() + 600_000,
});
const check = async (permission: string, scope: string, groups: TokenGroups, options: CheckOptions = {}) =>
  (await engine.check(ANN, permission, scope, { ...options, groups })).reason;

const world = await createWorld(MANIFEST);
await mean(world, ACME, ISSUER, {
  keys: ['keepers', OFFICE],
  doors: ['visitors', ACME],
  all: ['all', ACME],
  lost: ['deleted', OFFICE],
  // Of another tenant: no command writes it, and it would give nothing.
  far: ['foreign', BETA],
});
beforeEach(() => {
  world.settle();
  kept = 0;
  const observe = ({ isKept }: Observation) => {
    if (isKept) kept += 1;
  };
  engine = world.newEngine({ observe });
  world.calls.length = 0;
});

describe('a group of a token', () => {
  test('is of its issuer and of the root that names it', async () => {
    expect(await check('vault', BETA, token('keys', 'far'))).toBe('no_grant');
    for (const issuer of [`${ISSUER}/`, 'https://evil.example.com', 'x#y', 'x'.repeat(2_000)])
      expect(await outcomeOf({ ...token('keys'), issuer })).not.toBe('role');
  });

  const outcomeOf = (groups: TokenGroups) =>
    engine
      .checkAsked(() => ({ subject: ANN, permission: 'vault', scope: OFFICE, groups }))
      .then(({ decision }) => decision?.reason);

  test('gives nothing without a group of ours, where everyone is in it, or where it is deleted', async () => {
    for (const id of ['unknown', 'lost', 'KEYS', 'keys ', '']) {
      expect(await outcomeOf(token(id))).toBe('no_grant');
    }
    // The roles of everyone's group count without the token, and are nothing that is granted by name.
    const ofDesk = (id: string) => () => {
      return { subject: ANN, permission: 'desk', scope: ACME, groups: token(id) };
    };
    const asked = await engine.decideAsked([ofDesk('all'), ofDesk('doors')]);
    expect(asked).toMatchObject([
      { decision: { reason: 'role' }, hasGrant: false },
      { decision: { reason: 'role' }, hasGrant: true },
    ]);
  });

  test('has its roles among the effective ones', async () => {
    const groups = token('keys', 'doors');
    const expected = { tenant: ACME, roles: ['clerk', 'keeper', 'visitor'] };
    expect(await engine.effectiveRoles(ANN, OFFICE, { groups })).toEqual(expected);
    const { roles } = await engine.checkWithRoles(ANN, 'vault', OFFICE, { groups });
    expect(roles).toEqual(expected);
    // With a deny it says no more than `check`.
    expect((await engine.checkWithRoles(ANN, 'vault', ANNEX, { groups })).roles).toBeUndefined();
  });

  test('counts for each of many checks whose own token names it', async () => {
    const asked = { subject: ANN, permission: 'vault', scope: OFFICE };
    const { decisions } = await engine.checkMany(
      [asked, { ...asked, groups: token('keys') }, { ...asked, groups: token('doors') }],
      { groups: token('keys') },
    );
    expect(decisions.map(({ reason }) => reason)).toEqual(['role', 'role', 'no_grant']);
  });
});

describe('while the token lives', () => {
  test('it counts up to its end, which ends what is kept', async () => {
    const groups = token('keys');
    const soon = { ...groups, until: world.clock.now() + 10 };
    const { validUntil } = await engine.checkMany([{ subject: ANN, permission: 'vault', scope: OFFICE }], {
      groups: soon,
    });
    expect(validUntil).toBe(soon.until);
    // Also where they give nothing.
    const idle = { ...soon, ids: ['unknown'] };
    const asked = { subject: ANN, permission: 'desk', scope: OFFICE, groups: idle };
    expect((await engine.checkMany([asked])).validUntil).toBe(soon.until);
    expect(await check('vault', OFFICE, soon)).toBe('role');
    expect(kept).toBe(1);
    world.clock.advance(10);
    expect(await check('vault', OFFICE, soon)).toBe('no_grant');
  });

  test('a membership of the same group goes on', async () => {
    const groups = token('keys');
    const by = (at: number) => engine.check('user:kim', 'vault', OFFICE, { groups, at });
    for (const at of [groups.until - 1, groups.until]) expect((await by(at)).reason).toBe('role');
  });

  test.each([
    ['where they allow', 'keys'],
    ['where they give nothing', 'unknown'],
  ])('a session ends with it: %s', async (_, id) => {
    const groups = { ...token(id), until: world.clock.now() + 10 };
    for (const at of [undefined, world.clock.now()]) {
      const session = await engine.session(ANN, OFFICE, { permissions: ['vault'], groups, at });
      expect(session.expiresAt).toBe(groups.until);
      expect(session.can('vault')).toBe(id === 'keys');
    }
    const session = await engine.session(ANN, OFFICE, { permissions: ['vault', 'desk'], groups });
    world.clock.advance(10);
    expect(session.can('vault') || session.can('desk')).toBe(false);
  });
});

describe('a decision that is kept', () => {
  test('is of the token', async () => {
    const [one, other] = [token('keys'), token('doors')];
    for (let times = 0; times < 3; times++) {
      expect(await check('vault', OFFICE, one)).toBe('role');
      expect(await check('vault', OFFICE, other)).toBe('no_grant');
      expect((await engine.check(ANN, 'vault', OFFICE)).reason).toBe('no_grant');
    }
    expect(kept).toBe(6);
  });

  test('is of its issuer and its end', async () => {
    const groups = token('keys');
    expect(await check('vault', OFFICE, groups)).toBe('role');
    expect(await check('vault', OFFICE, { ...groups, issuer: 'https://other.example.com' })).toBe('no_grant');
    expect(await check('vault', OFFICE, { ...groups, until: world.clock.now() })).toBe('no_grant');
    expect(kept).toBe(0);
    expect(await check('vault', OFFICE, { ...groups })).toBe('role');
    expect(kept).toBe(1);
  });

  test('is not found by a text that is no subject', async () => {
    const groups = token('keys');
    expect(await check('vault', OFFICE, groups)).toBe('role');
    const text = JSON.stringify([ANN, groups.issuer, String(groups.until), ...groups.ids]);
    expect((await engine.check(text, 'vault', OFFICE)).reason).toBe('subject_unknown');
  });
});

/** A school whose groups stand apart of their scopes. Of the token, `staff` is the group of teachers, at a scope. */
function createApart(scope: Ref) {
  const school = createSchool();
  const until = school.clock.now() + 600_000;
  for (const place of [PLACE, ELSEWHERE])
    school.put(decisionKey(place), {
      v: SPLIT_FORM,
      status: 'active',
      [Attribute.groupRoles]: MARKERS.groupRoles,
    });
  school.put(decisionKey({ type: 'group', id: 'teachers' }), {
    v: SPLIT_FORM,
    [Attribute.rolesOfGroup]: new Set(['teacher']),
  });
  school.put(externalGroupsKey(PLACE, ISSUER), meaning({ staff: ['teachers', formatRef(scope)] }));
  school.putUser(0, REVOKED);
  const engine = school.newEngine();
  const groups = { issuer: ISSUER, ids: ['staff', 'staff'], until };
  const ask = () => engine.check(formatRef(userRef(0)), 'dashboard', formatRef(PLACE), { groups });
  return { school, ask };
}

test('a group of another scope gives nothing, also where groups stand apart', async () => {
  expect((await createApart(ELSEWHERE).ask()).reason).toBe('no_grant');
});

describe('what it costs', () => {
  const cost = () => world.calls.splice(0).map(({ operation, keys }) => [operation, keys]);

  test('no call more than without a token', async () => {
    await engine.check(ANN, 'lobby', ACME, { groups: token('doors') });
    expect(cost()).toEqual([['BatchGetItem', 6]]);
    engine = world.newEngine();
    await engine.check(ANN, 'vault', OFFICE, { groups: token('keys') });
    // A location may be a root itself: what its own item would say is read, too.
    expect(cost()).toEqual([
      ['BatchGetItem', 6],
      ['BatchGetItem', 3],
    ]);
    world.clock.advance(60_000);
    await engine.check(ANN, 'vault', OFFICE, { groups: token('keys') });
    expect(cost()).toEqual([['BatchGetItem', 7]]);
  });

  test('nothing without groups in the token', async () => {
    await engine.check(ANN, 'lobby', ACME, { groups: token() });
    expect(cost()).toEqual([['BatchGetItem', 5]]);
  });

  test('one read more, where the roles of groups stand apart', async () => {
    const { school, ask } = createApart(PLACE);
    expect((await ask()).reason).toBe('role');
    expect(school.reads.map(({ keys }) => keys.length)).toEqual([6, 1]);
    school.clock.advance(60_000);
    expect((await ask()).reason).toBe('role');
    expect(school.reads.map(({ keys }) => keys.length)).toEqual([6, 1, 7]);
  });
});

describe('an explanation', () => {
  const explain = (groups: TokenGroups, at?: number) => {
    const { reader, clock } = world;
    return createExplainer({ reader, clock }).explain(ANN, 'vault', OFFICE, { groups, at });
  };

  test('names the group of the token, its scope and its end', async () => {
    const groups = token('keys');
    const explanation = await explain(groups);
    const end = new Date(groups.until).toISOString();
    const keepers = { ref: 'group:keepers', name: 'Keepers' };
    const office = { ref: OFFICE, name: 'office' };
    expect(explanation.allowedBy.items.map(({ from }) => from)).toEqual([
      { kind: 'token_group', group: keepers, scope: office, end },
    ]);
    expect(explanation.validities.items).toEqual([
      { kind: 'token_group', group: keepers, scope: office, end },
    ]);
    expect(explanation.steps[5]?.findings).toContain(
      `role keeper through group Keepers at office, which the token names until ${end}`,
    );
    expect(formatExplanation(explanation)).toContain(
      'group Keepers (group:keepers) at office (location:office), which the token names',
    );
  });

  test('says that the token has ended', async () => {
    const groups = token('keys');
    const { allowed, suggestions } = await explain(groups, groups.until);
    expect(allowed).toBe(false);
    expect(suggestions?.granted.items).toMatchObject([
      { from: { kind: 'token_group' }, relation: 'here', period: 'ended' },
    ]);
    expect(suggestions?.groups.items).toEqual([]);
  });
});

test('a damaged mapping refuses', async () => {
  const school = createSchool();
  school.put(externalGroupsKey(PLACE, ISSUER), { 'external|staff|x': 'teachers' });
  const groups = { issuer: ISSUER, ids: ['staff'], until: school.clock.now() + 1 };
  const asked = [formatRef(userRef(0)), 'dashboard', formatRef(PLACE)] as const;
  await expect(school.newEngine().check(...asked, { groups })).rejects.toMatchObject({
    code: 'damaged_item',
  });
});
