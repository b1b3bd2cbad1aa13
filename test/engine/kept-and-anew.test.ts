import { expect, test } from 'vitest';
import { loadCel } from '../../engine/conditions/load.ts';
import type { Actor, Observation, TokenGroups } from '../../engine/index.ts';
import { SUBJECT } from '../../engine/items.ts';
import {
  Attribute,
  assignmentAttribute,
  conditionAttribute,
  grantAttribute,
  groupAttribute,
  groupsAtAttribute,
  licenseAttribute,
  moduleAttribute,
  patternAttribute,
  propertyAttribute,
  roleAttribute,
  subscriptionAttribute,
} from '../../table/decision/attributes.ts';
import { MARKERS } from '../../table/decision/split.ts';
import { GatehouseError } from '../../table/errors.ts';
import { SPLIT_FORM } from '../../table/form.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import {
  decisionKey,
  externalGroupsKey,
  globalKey,
  type Key,
  membershipsKey,
  permissionRef,
  tenantEffectsKey,
} from '../../table/keys.ts';
import { type PermissionName, readPermissionName } from '../../table/permission-name.ts';
import { meaning } from '../support/external-groups.ts';
import { again, SEED } from '../support/seed.ts';
import { createSchool } from './fake-table.ts';

/**
 * An engine that keeps decisions and one that keeps none, each with a cache and a clock of its own over equal tables,
 * are asked the same in the same order. Their answers are always equal: decision, reason, roles, uses, expiry.
 */
const STEPS = Number(process.env.KEPT_STEPS ?? 1_500);
const TTL = 60_000;

const USERS = ['user:u0', 'user:u1', 'user:u2'];
/** Whoever may act for them: each of them, too. */
const AGENT = 'agent:a';
const MANDATES = ['mandate:m0', 'mandate:m1'];
const ROOT = 'tenant:t';
const PROJECT = 'project:p';
const BUILDING = 'building:b';
const SCOPES = [ROOT, PROJECT, BUILDING, 'tenant:other'];
const PERMISSIONS = ['dashboard', 'docs:read:file', 'docs:write:file'];
const ROLES = ['viewer', 'editor', 'boss', 'everywhere'];
const GROUPS = ['g0', 'g1', 'g2'];
const ISSUERS = ['https://one.example.com', 'https://two.example.com'];
/** What tokens call groups. */
const NAMED = ['staff', 'guests', 'cleaners'];
const SPLIT = { v: SPLIT_FORM };
const CREDENTIALS = ['session:s0', 'token:k1'];
const CONDITIONS = [
  'resource.properties.open == true',
  "subject.properties.level == 'high'",
  "context.ip == '10.0.0.1'",
  "resource.id == 'b' && context.time != null",
  'context.ip ==',
];

function random(seed: number) {
  let state = seed >>> 0;
  // Mulberry32.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

// In the slowest run seen, 600 steps took a second.
test(`a decision that is kept is the one that would be made (${again()})`, {
  timeout: 10_000 + STEPS * 50,
}, async () => {
  await loadCel();
  const draw = random(SEED);
  const upTo = (count: number) => Math.floor(draw() * count);
  const one = <T>(from: readonly T[]): T => from[upTo(from.length)] as T;
  const some = <T>(from: readonly T[], share = 0.5): readonly T[] => from.filter(() => draw() < share);
  const chance = (share: number) => draw() < share;

  let isDown = false;
  let given = 0;
  let asked = 0;
  /** Of those with an actor that is allowed what the subject is: what is kept of both. */
  let acting = 0;
  const observe = ({ isKept, actor, decision }: Observation) => {
    asked += 1;
    if (isKept) given += 1;
    const isOfMandate = /^(?:role|admin|mandate|budget)/.test(decision?.reason ?? '');
    if (isKept && actor !== undefined && isOfMandate) acting += 1;
  };
  const worlds = [{ observe }, {}, { keepDecisions: false }].map((options) => {
    const school = createSchool();
    const getMany: typeof school.getMany = (...all) =>
      isDown ? Promise.reject(new GatehouseError('transient', 'down')) : school.getMany(...all);
    const reader = { getMany, getSnapshot: getMany };
    const engine = school.newEngine({ reader, ttlMs: TTL, outageTtlMs: 3 * TTL, ...options });
    return { ...school, engine };
  });
  const { clock } = worlds[0] as (typeof worlds)[0];
  const put = (key: Key, attributes: object) => {
    const isLongAgo = chance(0.7);
    for (const world of worlds)
      world.put(key, {
        ...attributes,
        // Written just now, it has no span yet: it is read more than once.
        ...(!isLongAgo && { writtenAt: world.clock.now() - upTo(1) }),
      });
  };
  const putOrRemove = (key: Key, attributes: object) => {
    if (chance(0.7)) put(key, attributes);
    else for (const world of worlds) world.remove(key);
  };
  const time = (at: number) => new Date(at).toISOString();
  const soon = () => clock.now() + upTo(60) * 1_000 - 15_000;
  const interval = () =>
    `${chance(0.4) ? time(soon()) : ''}/${chance(0.5) ? time(soon() + upTo(40_000)) : ''}`;

  const writes: Record<string, () => void> = {
    subject: () => {
      const assignments = some(SCOPES, 0.3).map((scope) => [
        assignmentAttribute(scope, one(ROLES)),
        interval(),
      ]);
      put(decisionKey(parseSubjectRef(one([...USERS, AGENT]), 'ref')), {
        status: chance(0.9) ? 'active' : 'inactive',
        ...(chance(0.15) && { endsAt: time(soon()) }),
        ...(chance(0.05) && { isAdmin: true }),
        ...(chance(0.6) && { mandateOptional: true }),
        ...one([
          {},
          { groups: new Set(some(['g0', 'g1'], 0.6).concat('g2')) },
          { groups: new Set(some(['g0', 'g1'], 0.6).concat('g2')) },
          // What stands apart: all its groups, and some of them by scope.
          { ...SPLIT, [Attribute.groupsIn]: MARKERS.groupsIn },
          { ...SPLIT, [groupsAtAttribute(one(SCOPES))]: new Set(some(GROUPS).concat('g2')) },
        ]),
        ...(chance(0.2) && { roles: new Set(['everywhere']) }),
        ...(chance(0.2) && { [grantAttribute(ROOT)]: new Set([one(ROLES)]) }),
        ...(chance(0.4) && { properties: { level: one(['high', 'low']) } }),
        ...Object.fromEntries(assignments),
      });
    },
    scope: () => {
      const at = upTo(3);
      const ref = SCOPES[at] as string;
      put(decisionKey(parseRef(ref, 'ref')), {
        status: chance(0.92) ? 'active' : 'inactive',
        ...(at > 0 && { ancestors: SCOPES.slice(0, at).reverse() }),
        ...(at === 0 && { combination: one(['deny-overrides', 'allow-overrides']) }),
        ...one([
          {},
          { [groupAttribute(one(GROUPS))]: new Set([one(ROLES)]) },
          { [groupAttribute(one(GROUPS))]: new Set([one(ROLES)]) },
          { ...SPLIT, [Attribute.groupRoles]: MARKERS.groupRoles },
        ]),
        ...(chance(0.3) && { [subscriptionAttribute('docs', 's')]: interval() }),
        ...(at === 1 && chance(0.2) && { enterprise: 'e' }),
        ...(at < 2 && chance(0.4) && { [licenseAttribute('e', 'l')]: interval() }),
        ...(chance(0.5) && { properties: { open: chance(0.5) } }),
        ...(at === 0 &&
          Object.fromEntries(
            some(['viewer', 'editor', 'boss'], 0.8).map((role) => [roleAttribute(role), '']),
          )),
        ...(at === 0 && chance(0.3) && { [patternAttribute('viewer', 'docs:*:*')]: one(['ALLOW', 'DENY']) }),
      });
    },
    memberships: () =>
      putOrRemove(membershipsKey(parseRef(one(USERS), 'subject'), parseRef(one(SCOPES), 'scope')), {
        ...SPLIT,
        groups: new Set(some(GROUPS).concat('g1')),
      }),
    groupRoles: () =>
      putOrRemove(decisionKey(parseRef(`group:${one(GROUPS)}`, 'ref')), {
        ...SPLIT,
        [Attribute.rolesOfGroup]: new Set([one(ROLES)]),
      }),
    permission: () => {
      const name = readPermissionName(one(PERMISSIONS)) as PermissionName;
      put(decisionKey(permissionRef(name)), {
        registered: chance(0.93),
        ...(chance(0.6) && { allow: new Set(['everywhere']) }),
        ...(chance(0.3) && { module: 'docs' }),
      });
    },
    effects: () => {
      const name = readPermissionName(one(PERMISSIONS)) as PermissionName;
      const key = tenantEffectsKey(parseRef(ROOT, 'ref'), name);
      const [role, ...others] = ['viewer', 'editor', 'boss'].sort(() => draw() - 0.5) as [
        string,
        ...string[],
      ];
      const allow = some(others, 0.6);
      const denied = others.filter((each) => !allow.includes(each) && chance(0.4));
      if (chance(0.1)) for (const world of worlds) world.remove(key);
      else
        put(key, {
          ...(allow.length > 0 && { allow: new Set(allow) }),
          ...(denied.length > 0 && { deny: new Set(denied) }),
          ...(chance(0.5) && {
            [conditionAttribute(role)]: { effect: one(['ALLOW', 'DENY']), when: one(CONDITIONS) },
          }),
        });
    },
    global: () =>
      put(globalKey(), {
        [roleAttribute('everywhere')]: '',
        ...(chance(0.3) && { [roleAttribute('viewer')]: 'everywhere' }),
        ...(chance(0.3) && { [moduleAttribute('docs')]: true }),
        [propertyAttribute('resource:building', 'open')]: 'bool stored',
        [propertyAttribute('resource:project', 'open')]: one(['bool stored', 'bool passed']),
        [propertyAttribute('subject:user', 'level')]: 'string stored',
      }),
    credential: () =>
      put(decisionKey(parseRef(one(CREDENTIALS), 'ref')), {
        status: chance(0.85) ? 'active' : 'revoked',
        subject: one(USERS),
        endsAt: time(clock.now() + upTo(60_000)),
      }),
    mandate: () =>
      putOrRemove(decisionKey(parseRef(one(MANDATES), 'ref')), {
        status: chance(0.85) ? 'active' : 'ended',
        subject: one(USERS),
        actor: chance(0.8) ? AGENT : one(USERS),
        endsAt: time(clock.now() + upTo(200_000)),
        permissions: one([['*:*:*'], ['docs:*:file', 'dashboard'], ['docs:read:file']]),
        scopes: one([[ROOT], [PROJECT, 'tenant:other'], [BUILDING]]),
        ...(chance(0.3) && { when: one([...CONDITIONS, "action.name == 'read'"]) }),
        ...(chance(0.2) && { hash: 'h' }),
        ...(chance(0.05) && { budget: true }),
      }),
    meant: () =>
      putOrRemove(
        externalGroupsKey(parseRef(ROOT, 'scope'), one(ISSUERS)),
        meaning(Object.fromEntries(NAMED.map((name) => [name, [one(GROUPS), one([ROOT, ROOT, PROJECT])]]))),
      ),
    removal: () => {
      if (chance(0.6)) return;
      const key = decisionKey(parseRef(one([...USERS, ...SCOPES, ...CREDENTIALS, ...MANDATES]), 'ref'));
      // Soon written again: of what is missing nothing is kept.
      for (const world of worlds) world.remove(key);
    },
  };

  // Tokens live on while what they name changes; one that ended is shown again, too.
  const tokens: TokenGroups[] = [];
  const token = (): TokenGroups | undefined => {
    if (chance(0.8)) return undefined;
    if (tokens.length === 0 || chance(0.03)) {
      // Two that end together, of which one names more.
      const until = soon() + upTo(40_000);
      const issuer = one(ISSUERS);
      tokens.unshift(...[0.9, 0.1].map((share) => ({ issuer, ids: some(NAMED, share), until })));
    }
    const known = one(tokens.slice(0, 2)) as TokenGroups;
    return chance(0.2) ? { ...known } : known;
  };

  /** Some are one object each time, as a credential is that was read once. */
  const actor = (): Actor | undefined => {
    if (chance(0.65)) return undefined;
    const mandate = chance(0.5) ? one([...MANDATES, 'mandate:#']) : undefined;
    return {
      subject: chance(0.7) ? AGENT : one([...USERS, 'user:unknown']),
      mandate,
      hash: mandate !== undefined && chance(0.1) ? one(['h', 'i']) : undefined,
    };
  };

  const given_ = () =>
    chance(0.5)
      ? undefined
      : {
          ...(chance(0.6) && { context: { ip: one(['10.0.0.1', '10.0.0.2']) } }),
          ...(chance(0.3) && {
            resource: one([
              { type: 'building', id: 'b' },
              { type: 'row', id: 'b' },
              { properties: { open: true } },
            ]),
          }),
        };
  const question = () => {
    const user = one(USERS);
    const given = given_();
    const credential = chance(0.25) ? { ref: one(CREDENTIALS) } : undefined;
    const at = chance(0.04) ? soon() : undefined;
    const subject = chance(0.03) ? one(['user:#', 'nobody', 'user:unknown']) : user;
    const scope = chance(0.03)
      ? 'building:unknown'
      : one([BUILDING, BUILDING, PROJECT, ROOT, 'tenant:other']);
    const own = { subject, permission: one(PERMISSIONS), scope, given, credential, at };
    return { ...own, groups: token(), actor: actor() };
  };
  type World = (typeof worlds)[number];
  const outcome = async (ask: () => Promise<unknown>) => {
    try {
      return await ask();
    } catch (error) {
      return { fault: (error as { code?: string }).code ?? String(error) };
    }
  };
  const asks: (() => (world: World) => Promise<unknown>)[] = [
    () => {
      const { subject, permission, scope, given, credential, at, groups, actor } = question();
      return ({ engine }) =>
        engine.check(subject, permission, scope, { ...given, credential, at, groups, actor });
    },
    () => {
      const { subject, permission, scope } = question();
      return ({ engine }) => engine.check(subject, permission, scope);
    },
    () => {
      const { subject, permission, scope, given, credential, groups, actor } = question();
      return ({ engine }) =>
        engine.checkWithRoles(subject, permission, scope, { ...given, credential, groups, actor });
    },
    () => {
      const requests = Array.from({ length: 1 + upTo(8) }, question);
      const consistency = chance(0.1) ? ('strong' as const) : undefined;
      const keepDecisions = chance(0.1) ? false : undefined;
      return ({ engine }) => engine.checkMany(requests, { consistency, keepDecisions });
    },
    () => {
      const questions = Array.from({ length: 1 + upTo(4) }, question);
      // Built from an item that is read for it, and has a span of its own.
      const other = one(USERS).slice('user:'.length);
      return ({ engine }) =>
        engine.checkManyAsked(
          questions.map((each) => (look) => {
            if (look.item(SUBJECT, `user:${other}`) === undefined) return undefined;
            return { ...each, at: undefined };
          }),
        );
    },
    () => {
      const questions = Array.from({ length: 1 + upTo(4) }, question);
      return ({ engine }) => engine.decideAsked(questions.map((each) => () => ({ ...each, at: undefined })));
    },
  ];

  for (const write of Object.values(writes)) for (let n = 0; n < 6; n++) write();
  for (let step = 0; step < STEPS; step++) {
    if (step % 60 === 0)
      for (let n = 0; n < 4; n++) for (const name of ['subject', 'scope']) writes[name]?.();
    if (chance(0.012)) one(Object.values(writes))();
    if (chance(0.08)) {
      const by = chance(0.02) ? -upTo(40_000) : chance(0.08) ? upTo(2 * TTL) : upTo(300);
      for (const world of worlds) world.clock.advance(by);
    }
    isDown = isDown ? chance(0.7) : chance(0.004);
    const ask = one(asks)();
    const answers = [];
    for (const world of worlds) answers.push(await outcome(() => ask(world)));
    for (const answer of answers) expect(answer, `${again()}, step ${step}`).toEqual(answers[2]);
    expect(new Set(worlds.map(({ clock }) => clock.now())).size).toBe(1);
  }
  expect(given / asked).toBeGreaterThan(0.2);
  expect(acting).toBeGreaterThan(0);
});
