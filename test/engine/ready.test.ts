import { expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { assignmentAttribute, groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey, globalKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, GRANTED, PAGE, PLACE, REVOKED, userRef } from './fake-table.ts';

/** What was made of entries decides only while all of them are there, fresh, and belong together. */
const OTHER = { type: 'page', id: 'other' };
const TEACHING = { status: 'active', [groupAttribute('teachers')]: new Set(['teacher']) };

function setUp() {
  const school = createSchool();
  school.put(decisionKey(ELSEWHERE), { status: 'active' });
  school.put(decisionKey(OTHER), { registered: true });
  school.putUser(1, GRANTED);
  const check = (engine: Engine, n: number, page: { readonly id: string }, place = PLACE, strong = false) =>
    engine.check(
      formatRef(userRef(n)),
      page.id,
      formatRef(place),
      strong ? { freshness: 'strong' } : undefined,
    );
  /** Asked until it needs no read, so that all is made. */
  const warm = async (engine: Engine, n = 0) => {
    for (let times = 0; times < 3; times++)
      expect(await school.ask(engine, n)).toMatchObject({ allowed: true });
    expect(school.ask(engine, n)).not.toBeInstanceOf(Promise);
  };
  return { ...school, check, warm };
}

/** An engine that knows a membership from before its removal, and the place from after that has got a role. */
async function afterRemoval() {
  const { newEngine, clock, put, putUser, ask, check } = setUp();
  const standing = (n = 0) => engine.rolesOf(formatRef(userRef(n)), formatRef(PLACE));
  put(decisionKey(PLACE), { status: 'active' });
  const engine = newEngine();
  expect(await ask(engine)).toMatchObject({ reason: 'no_grant' });
  expect(standing()).toMatchObject({ roles: [] });
  clock.advance(10_000);
  putUser(0, { ...REVOKED, writtenAt: clock.now() });
  clock.advance(10_000);
  put(decisionKey(PLACE), { ...TEACHING, writtenAt: clock.now() });
  clock.advance(10_000);
  // Another one brings the place anew, and has its way made ready.
  await check(engine, 1, PAGE, PLACE, true);
  return { ask: (n = 0) => ask(engine, n), standing };
}

test('a membership from before a removal is not put beside a role from after it', async () => {
  const { ask } = await afterRemoval();
  expect(await ask(1)).toMatchObject({ allowed: true });
  expect(await ask()).toMatchObject({ allowed: false, reason: 'no_grant' });
});

test('the roles of a standing are those of one instant as well', async () => {
  const { standing } = await afterRemoval();
  expect(standing(1)).toMatchObject({ roles: ['teacher'] });
  expect(await standing()).toMatchObject({ roles: [] });
});

test('a role that ends is in a standing up to its end, each time it is asked', async () => {
  const { newEngine, clock, putUser, ask } = setUp();
  const end = clock.now() + 10_000;
  const assigned = assignmentAttribute(formatRef(PLACE), 'teacher');
  putUser(0, { status: 'active', [assigned]: `/${new Date(end).toISOString()}` });
  const engine = newEngine();
  const standing = (at?: number) =>
    engine.rolesOf(formatRef(userRef(0)), formatRef(PLACE), at === undefined ? {} : { at });
  await ask(engine);
  for (let times = 0; times < 2; times++) {
    expect(standing()).toMatchObject({ roles: ['teacher'] });
    expect(standing(end)).toMatchObject({ roles: [] });
  }
  clock.advance(10_000);
  expect(standing()).toMatchObject({ roles: [] });
  expect(standing(Number.NaN)).toMatchObject({ roles: [] });
});

test('what another question has brought anew counts at once', async () => {
  const { newEngine, put, ask, check, warm } = setUp();
  const engine = newEngine();
  await warm(engine);
  put(decisionKey(PAGE), { registered: true });
  await check(engine, 1, PAGE, ELSEWHERE, true);
  expect(await ask(engine)).toMatchObject({ allowed: false, reason: 'no_grant' });
});

test('roles are numbered anew with the table that lists them', async () => {
  const { newEngine, put, ask, check } = setUp();
  put(decisionKey(PLACE), { status: 'active', [groupAttribute('teachers')]: new Set(['aide']) });
  put(globalKey(), { [roleAttribute('teacher')]: '', [roleAttribute('aide')]: '' });
  const engine = newEngine();
  for (let times = 0; times < 3; times++) expect(await ask(engine)).toMatchObject({ reason: 'no_grant' });
  put(globalKey(), { [roleAttribute('aide')]: '', [roleAttribute('teacher')]: '' });
  await check(engine, 1, OTHER, ELSEWHERE, true);
  expect(await ask(engine)).toMatchObject({ allowed: false, reason: 'no_grant' });
});

test('what is read first expires first, and ends what was made of it', async () => {
  const { newEngine, clock, ask, check, warm } = setUp();
  const engine = newEngine({ ttlMs: 60_000 });
  await check(engine, 1, PAGE, ELSEWHERE);
  clock.advance(30_000);
  await warm(engine);
  clock.advance(30_000);
  const answer = ask(engine);
  expect(answer).toBeInstanceOf(Promise);
  await answer;
});

test('nothing that was made answers when it was read later than the clock says', async () => {
  const { newEngine, clock, ask, check, warm } = setUp();
  const engine = newEngine({ ttlMs: 1_000_000 });
  await check(engine, 0, OTHER);
  clock.advance(100_000);
  await warm(engine);
  clock.advance(-50_000);
  const answer = ask(engine);
  expect(answer).toBeInstanceOf(Promise);
  await answer;
});

test('nor is anybody said to stand somewhere by it', async () => {
  const { newEngine, clock, check } = setUp();
  const engine = newEngine({ ttlMs: 1_000_000 });
  const standing = () => engine.rolesOf(formatRef(userRef(0)), formatRef(PLACE));
  await check(engine, 0, PAGE);
  clock.advance(100_000);
  // Brings anew what holds everywhere, and nothing of the user or the place.
  await check(engine, 1, PAGE, ELSEWHERE, true);
  expect(standing()).toMatchObject({ roles: ['teacher'] });
  clock.advance(-50_000);
  const answer = standing();
  expect(answer).toBeInstanceOf(Promise);
  await answer;
});

test('what is made again and again, because something it rests on is read again and again, takes no more room', async () => {
  const { newEngine, ask, check, warm, putUser } = setUp();
  const engine = newEngine({ maxBytes: 12_000 });
  // Somebody whose assignment ends takes a standing of their own.
  putUser(0, { ...GRANTED, endsAt: '2099-01-01T00:00:00.000Z' });
  await warm(engine);
  for (let times = 0; times < 200; times++) {
    await check(engine, 1, PAGE, ELSEWHERE, true);
    // Still there: not driven out by what it is thought to weigh.
    expect(ask(engine)).toMatchObject({ allowed: true });
  }
});
