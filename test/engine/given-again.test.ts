import { describe, expect, test } from 'vitest';
import { createWork } from '../../engine/conditions/work.ts';
import { ALLOWED } from '../../engine/decision.ts';
import type { CheckOptions, EngineOptions, Observation } from '../../engine/index.ts';
import * as items from '../../engine/items.ts';
import { createKeptDecisions } from '../../engine/kept-decisions.ts';
import { assignmentAttribute } from '../../table/decision/attributes.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey, globalKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, GRANTED, PAGE, PLACE, REVOKED, userRef } from './fake-table.ts';

/** When a decision that was kept is given again (ADR 0013). kept-and-anew.test.ts shows that it is always the right one. */
const TTL = 60_000;
const place = formatRef(PLACE);

function setUp(options: Partial<EngineOptions> = {}) {
  const school = createSchool();
  const seen: Observation[] = [];
  const engine = school.newEngine({ ttlMs: TTL, observe: (each) => void seen.push(each), ...options });
  /** Whether the answer was kept, and its reason. */
  const ask = async (given: CheckOptions = {}, user = 0, permission = 'dashboard', scope = place) => {
    const { reason } = await engine.check(formatRef(userRef(user)), permission, scope, given);
    return { reason, isKept: seen.at(-1)?.isKept };
  };
  return { ...school, engine, ask, seen };
}

const KEPT = { reason: 'role', isKept: true };
const MADE = { reason: 'role', isKept: false };

describe('the second time, a decision', () => {
  test('is given again', async () => {
    const { ask, reads } = setUp();
    expect([await ask(), await ask(), await ask()]).toEqual([MADE, KEPT, KEPT]);
    expect(reads).toHaveLength(1);
  });

  test('is given to one question, to many, and with roles once they were asked for', async () => {
    const { ask, engine, seen } = setUp();
    await ask();
    const [subject, permission] = [formatRef(userRef(0)), 'dashboard'];
    await engine.checkMany([{ subject, permission, scope: place }]);
    await engine.checkWithRoles(subject, permission, place);
    const again = await engine.checkWithRoles(subject, permission, place);
    expect(again.roles).toEqual({ tenant: place, roles: ['teacher'] });
    expect(seen.map(({ isKept }) => isKept)).toEqual([false, true, false, true]);
  });

  test.each<[string, CheckOptions]>([
    ['strong', { consistency: 'strong' }],
    ['for a given instant', { at: Date.parse('2026-01-15T12:00:00.000Z') }],
  ])('is made anew where it is asked %s', async (_, given) => {
    const { ask } = setUp();
    await ask();
    expect(await ask(given)).toEqual(MADE);
    expect(await ask(given)).toEqual(MADE);
  });

  test('is made anew with a time-to-live of 0, and where decisions are not to be kept', async () => {
    for (const options of [{ ttlMs: 0 }, { keepDecisions: false }]) {
      const { ask } = setUp(options);
      expect([await ask(), await ask()]).toEqual([MADE, MADE]);
    }
  });

  test('is not kept by a search, but given to it', async () => {
    const { engine, seen, ask } = setUp();
    const request = { subject: formatRef(userRef(0)), permission: 'dashboard', scope: place };
    await engine.checkMany([request], { keepDecisions: false });
    await engine.checkMany([request], { keepDecisions: false });
    await ask();
    await engine.checkMany([request], { keepDecisions: false });
    expect(seen.map(({ isKept }) => isKept)).toEqual([false, false, false, true]);
  });

  test('is not kept of a subject, scope or name that does not exist', async () => {
    const { ask } = setUp();
    const unknown: readonly [number, string, string][] = [
      [9, 'dashboard', place],
      [0, 'dashboard', formatRef(ELSEWHERE)],
      [0, 'no such name!', place],
    ];
    for (const asked of unknown) {
      await ask({}, ...asked);
      expect(await ask({}, ...asked)).toMatchObject({ isKept: false });
    }
  });
});

describe('it ends', () => {
  const subjects = Array.from({ length: 1_000 }, (_, user) => formatRef(userRef(user)));
  /** Decisions of the place beside a megabyte of items. */
  function keeping() {
    const { leave, keep, find } = createKeptDecisions(1_000_000);
    const span = { from: 0, until: 0, isCached: true, id: items.GLOBAL_ID };
    const spans = { shared: [span], ofPermission: span, ofEffects: span, validUntil: undefined };
    const outcome = { residual: ALLOWED.role, settled: ALLOWED.role, tenant: place, hasGrant: true };
    return {
      leave,
      keep: (subject: string, permission = 'dashboard') =>
        keep(subject, undefined, place, { ...spans, ...outcome, permission, roles: undefined }),
      isKept: (subject: string, permission = 'dashboard') =>
        find(subject, undefined, place, permission) !== undefined,
    };
  }

  test.each<[string, items.Kind<unknown>]>([
    [formatRef(userRef(0)), items.SUBJECT],
    [place, items.SCOPE],
    [items.GLOBAL_ID, items.GLOBAL],
    ['dashboard', items.PERMISSION],
    [items.tenantEffectsId(place, 'dashboard'), items.TENANT_EFFECTS],
  ])('with the time-to-live of the oldest item that it rests on: %s', async (id, kind) => {
    const { ask, clock, engine } = setUp();
    await engine.prefetch([{ kind, id }]);
    clock.advance(10_000);
    await ask();
    clock.advance(TTL - 10_001);
    expect(await ask()).toEqual(KEPT);
    clock.advance(1);
    expect([await ask(), await ask()]).toEqual([MADE, KEPT]);
  });

  test('to the millisecond when an assignment begins or ends', async () => {
    const { ask, clock, putUser } = setUp();
    const end = new Date(clock.now() + 500).toISOString();
    putUser(0, { ...REVOKED, [assignmentAttribute(place, 'teacher')]: `/${end}` });
    await ask();
    clock.advance(499);
    expect(await ask()).toEqual(KEPT);
    clock.advance(1);
    expect(await ask()).toEqual({ reason: 'no_grant', isKept: false });
    expect(await ask()).toEqual({ reason: 'no_grant', isKept: true });
  });

  test('where memory is short: the subjects that were asked about least recently go first', async () => {
    const { ask, putUser } = setUp({ maxBytes: 100_000 });
    await ask();
    // Its items stay, too, though they are looked at no more: they are in use.
    for (let user = 1; user < 400; user++) {
      putUser(user, GRANTED);
      await ask({}, user);
      expect(await ask(), `after ${user} others`).toEqual(KEPT);
    }
    expect(await ask({}, 1)).toEqual(MADE);
  });

  test('where there is more of one subject than its bound, which holds over a thousand', async () => {
    const { engine, ask } = setUp();
    const subject = formatRef(userRef(0));
    const pages = Array.from({ length: 5_000 }, (_, n) => `page-${n}`);
    const asked = pages.map((permission) => ({ subject, permission, scope: place }));
    for (let from = 0; from < 4_000; from += 1_000) await engine.checkMany(asked.slice(from, from + 1_000));
    for (const n of [0, 1_024, 3_999]) expect(await ask({}, 0, `page-${n}`)).toMatchObject({ isKept: true });
    await engine.checkMany(asked.slice(4_000, 5_000));
    expect(await ask({}, 0, 'page-0')).toMatchObject({ isKept: false });
  });

  test.each([
    ['more than a quarter of the memory would be kept', 0, 1 / 4],
    ['items fill the memory, but for a thirty-second part', 1_000_000, 1 / 32],
  ])('where %s', (_, bytesOfItems, share) => {
    const { leave, keep, isKept } = keeping();
    leave(bytesOfItems);
    for (const subject of subjects) keep(subject);
    const left = subjects.filter((subject) => isKept(subject));
    expect(left).toEqual(subjects.slice(-left.length));
    // A decision of a subject of its own counts 860 bytes.
    expect(left).toHaveLength(Math.floor((share * 1_000_000) / 860));
  });

  test('where memory is short: a subject that decisions are made for stays, though none of them is found', () => {
    const { keep, isKept } = keeping();
    const actor = formatRef(userRef(1_000));
    keep(actor, 'first');
    for (const subject of subjects) {
      keep(subject);
      keep(actor);
    }
    expect(isKept(actor, 'first')).toBe(true);
    expect(isKept(formatRef(userRef(0)))).toBe(false);
  });

  test('where items need the memory: none of them is read more often for it', async () => {
    const users = 400;
    const readsWith = async (keepDecisions: boolean) => {
      const { ask, putUser, reads } = setUp({ maxBytes: 100_000, keepDecisions });
      for (let user = 0; user < users; user++) putUser(user, GRANTED);
      // As a Zipf distribution has it: the first user most often.
      for (let n = 0; n < 5_000; n++) await ask({}, Math.floor(users ** ((n * 0.618) % 1)));
      return reads.length;
    };
    const without = await readsWith(false);
    expect(without).toBeGreaterThan(users);
    expect(await readsWith(true)).toBe(without);
  });
});

test('a credential is judged anew each time, and keeps what follows after it', async () => {
  const { ask, put, clock } = setUp();
  const key = { type: 'session', id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' };
  const credential = { ref: formatRef(key) };
  put(decisionKey(key), {
    status: 'active',
    subject: formatRef(userRef(0)),
    endsAt: new Date(clock.now() + 1_000).toISOString(),
  });
  expect(await ask({ credential })).toEqual(MADE);
  expect(await ask({ credential })).toEqual(KEPT);
  clock.advance(1_000);
  expect(await ask({ credential })).toEqual({ reason: 'credential_refused', isKept: true });
  expect(await ask()).toEqual(KEPT);
});

describe('an outcome over a stored property', () => {
  const open = 'resource.properties.open == true';
  const scope = { status: 'active', 'group|teachers': new Set(['teacher']) };
  function conditional() {
    const school = setUp();
    school.put(globalKey(), { 'role|teacher': '', 'property|resource:location|open': 'bool stored' });
    school.put(decisionKey(PAGE), { registered: true, 'when|teacher': { effect: 'ALLOW', when: open } });
    school.put(decisionKey(PLACE), { ...scope, properties: { open: true } });
    return school;
  }

  test('is given again for the scope itself, and for a resource that is the scope', async () => {
    const { ask } = conditional();
    expect([await ask(), await ask()]).toEqual([MADE, KEPT]);
    expect(await ask({ context: { ip: '10.0.0.1' } })).toEqual(KEPT);
    expect(await ask({ resource: { type: PLACE.type, id: PLACE.id } })).toEqual(KEPT);
  });

  test('is no outcome for another resource, nor is that of another resource one for the scope', async () => {
    for (const resource of [{ type: 'row', id: PLACE.id }, { id: 'other' }]) {
      const { ask } = conditional();
      await ask();
      expect(await ask({ resource })).toMatchObject({ reason: 'condition_failed' });
      const other = conditional();
      await other.ask({ resource });
      expect(await other.ask({ resource })).toEqual({ reason: 'condition_failed', isKept: true });
      expect(await other.ask()).toEqual(KEPT);
    }
  });

  test('is not kept where the budget of the request did not suffice for it', async () => {
    const { ask, engine } = conditional();
    const work = createWork();
    work.take(Number.MAX_SAFE_INTEGER);
    const question = { subject: formatRef(userRef(0)), permission: 'dashboard', scope: place, work };
    const [refused] = await engine.decideAsked([() => question]);
    expect(refused).toMatchObject({ decision: { reason: 'condition_failed' } });
    expect(await ask()).toMatchObject({ reason: 'role' });
  });
});
