import { describe, expect, test } from 'vitest';
import { assignmentAttribute } from '../../table/decision/attributes.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { createSchool, GRANTED, PLACE, userRef } from './fake-table.ts';
import { timelines } from './timeline.ts';

/** Until when decisions may be kept: `expiresAt` of `checkMany`, of a session, and of a question for a credential alone. */
const TTL = 60_000;
const ann = formatRef(userRef(0));
const place = formatRef(PLACE);
const CREDENTIAL = { ref: 'session:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' };
const time = (at: number) => new Date(at).toISOString();

function setUp(ttlMs = TTL) {
  const school = createSchool();
  const engine = school.newEngine({ ttlMs });
  const request = { subject: ann, permission: 'dashboard', scope: place };
  const begin = school.clock.now();
  const putCredential = (endsAt: number) =>
    school.put(decisionKey({ type: 'session', id: CREDENTIAL.ref.slice('session:'.length) }), {
      status: 'active',
      subject: ann,
      endsAt: time(endsAt),
    });
  return { ...school, engine, request, begin, putCredential };
}

const assigned = (interval: string) => ({
  status: 'active',
  [assignmentAttribute(place, 'teacher')]: interval,
});

describe('many decisions may be kept', () => {
  timelines(`
  for the time-to-live from the oldest read that one of them rests on
    grant 1 · ask 0 → role · later 10_000 · ask 1 0 → role role
    fresh · expires → 50_000 · stale until → 50_000 · valid → Infinity
  no longer than until the subject ends
    grant 0 for 20_000 · ask 0 → role · expires → 20_000 · stale until → 20_000 · valid → 20_000
`);

  test.each([
    ['an assignment begins', (at: number) => assigned(`${time(at)}/`)],
    ['an assignment ends', (at: number) => assigned(`/${time(at)}`)],
  ])('no longer than until %s', async (_, attributesAt) => {
    const { engine, request, begin, putUser } = setUp();
    const end = begin + 20_000;
    putUser(0, attributesAt(end));
    expect(await engine.checkMany([request])).toMatchObject({
      expiresAt: end,
      staleUntil: end,
      validUntil: end,
    });
  });

  test('no longer than until the credential ends', async () => {
    const { engine, request, begin, putCredential } = setUp();
    putCredential(begin + 20_000);
    const credential = CREDENTIAL;
    expect(await engine.checkMany([request], { credential })).toMatchObject({ expiresAt: begin + 20_000 });
  });

  test('past what ends later than the time-to-live, which is told of', async () => {
    const { engine, request, begin, putUser } = setUp();
    putUser(0, assigned(`/${time(begin + 90_000)}`));
    expect(await engine.checkMany([request])).toMatchObject({
      expiresAt: begin + TTL,
      validUntil: begin + 90_000,
    });
  });

  test('past what ends by time where another instant was asked about: that stays as it was', async () => {
    const { engine, request, begin, putUser } = setUp();
    putUser(0, assigned(`/${time(begin + 20_000)}`));
    const answer = await engine.checkMany([{ ...request, at: begin }]);
    expect(answer).toMatchObject({ expiresAt: begin + TTL, validUntil: Number.POSITIVE_INFINITY });
  });
});

test('what one request leaves out, or leaves undefined, is as the options of the call say', async () => {
  const { engine, request, begin, putUser } = setUp();
  putUser(0, { ...GRANTED, endsAt: time(begin + 500) });
  const nothing = { at: undefined, credential: undefined, prefetch: undefined };
  for (const each of [request, { ...request, ...nothing }]) {
    const { decisions } = await engine.checkMany([each], { at: begin + 500 });
    expect(decisions).toEqual([{ allowed: false, reason: 'subject_ended' }]);
    const { decisions: refused } = await engine.checkMany([each], { credential: CREDENTIAL });
    expect(refused).toEqual([{ allowed: false, reason: 'credential_refused' }]);
  }
});

test('that a credential is good may be kept until it ends', async () => {
  const { engine, begin, putCredential } = setUp();
  putCredential(begin + 20_000);
  const question = { subject: ann, permission: undefined, scope: undefined, credential: CREDENTIAL };
  const answer = await engine.checkManyAsked([() => question]);
  expect(answer.answers).toMatchObject([{ decision: undefined }]);
  expect(answer).toMatchObject({ expiresAt: begin + 20_000, validUntil: begin + 20_000 });
});

describe('a session ends', () => {
  test.each([
    ['when an assignment ends', (at: number) => assigned(`/${time(at)}`), true],
    ['when one begins', (at: number) => assigned(`${time(at)}/`), false],
  ])('%s, to the millisecond', async (_, attributesAt, isAllowed) => {
    const { engine, clock, begin, putUser } = setUp();
    putUser(0, attributesAt(begin + 20_000));
    const session = await engine.session(ann, place, { permissions: ['dashboard'] });
    expect(session.expiresAt).toBe(begin + 20_000);
    clock.advance(19_999);
    expect(session.decide('dashboard').allowed).toBe(isAllowed);
    clock.advance(1);
    expect(session.can('dashboard')).toBe(false);
    expect(() => session.decide('dashboard')).toThrow(expect.objectContaining({ code: 'stale' }));
  });

  test('not with what it shows of another instant', async () => {
    const { engine, clock, begin, putUser } = setUp();
    putUser(0, assigned(`/${time(begin + 20_000)}`));
    const session = await engine.session(ann, place, { permissions: ['dashboard'], at: begin });
    clock.advance(TTL - 1);
    expect(session.can('dashboard')).toBe(true);
    clock.advance(1);
    expect(session.can('dashboard')).toBe(false);
  });

  test('when the clock goes back: it would look younger than it is', async () => {
    const { engine, clock } = setUp();
    const session = await engine.session(ann, place, { permissions: ['dashboard'] });
    clock.advance(30_000);
    expect(session.can('dashboard')).toBe(true);
    clock.advance(-20_000);
    expect(session.can('dashboard')).toBe(false);
    expect(() => session.decide('dashboard')).toThrow(expect.objectContaining({ code: 'stale' }));
  });
});
