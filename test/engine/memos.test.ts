import { expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { assignmentAttribute, groupAttribute, roleAttribute } from '../../table/decision/attributes.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey, globalKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, GRANTED, PAGE, PLACE, userRef } from './fake-table.ts';

/** What is kept beside items, effective roles and permission effects, answers only for these very items. */
const OTHER = { type: 'page', id: 'other' };

function setUp() {
  const school = createSchool();
  school.put(decisionKey(ELSEWHERE), { status: 'active' });
  school.put(decisionKey(OTHER), { registered: true });
  school.putUser(1, GRANTED);
  /** Reads one item anew, whatever is cached, by a question of somebody else. */
  const readAnew = (engine: Engine, page: { readonly id: string }, place = ELSEWHERE) =>
    engine.check(formatRef(userRef(1)), page.id, formatRef(place), { consistency: 'strong' });
  /** Asked again, so that all is kept. */
  const warm = async (engine: Engine) => {
    for (let times = 0; times < 3; times++) expect(await school.ask(engine)).toMatchObject({ allowed: true });
    expect(school.reads).toHaveLength(1);
  };
  return { ...school, readAnew, warm };
}

test('an assignment that ends counts up to its end, each time it is asked', async () => {
  const { newEngine, clock, putUser, ask } = setUp();
  const end = clock.now() + 10_000;
  const assigned = assignmentAttribute(formatRef(PLACE), 'teacher');
  putUser(0, { status: 'active', [assigned]: `/${new Date(end).toISOString()}` });
  const engine = newEngine();
  const roles = (at?: number) => engine.effectiveRoles(formatRef(userRef(0)), formatRef(PLACE), { at });
  await ask(engine);
  for (let times = 0; times < 2; times++) {
    expect(await roles()).toMatchObject({ roles: ['teacher'] });
    expect(await roles(end)).toMatchObject({ roles: [] });
  }
  clock.advance(10_000);
  expect(await roles()).toMatchObject({ roles: [] });
});

test.each([
  ['the permission', decisionKey(PAGE), { registered: true }, PAGE, ELSEWHERE],
  ['the global roles', globalKey(), { [roleAttribute('aide')]: '' }, OTHER, ELSEWHERE],
  [
    'the scope',
    decisionKey(PLACE),
    { status: 'active', [groupAttribute('teachers')]: new Set(['aide']) },
    OTHER,
    PLACE,
  ],
])('what another question has read anew counts at once: %s', async (_, key, attributes, page, place) => {
  const { newEngine, put, ask, readAnew, warm } = setUp();
  const engine = newEngine();
  await warm(engine);
  put(key, attributes);
  await readAnew(engine, page, place);
  expect(await ask(engine)).toMatchObject({ allowed: false, reason: 'no_grant' });
});

test('what is read first expires first, and ends what was made of it', async () => {
  const { newEngine, clock, ask, reads } = setUp();
  const engine = newEngine({ ttlMs: 60_000 });
  await engine.check(formatRef(userRef(1)), PAGE.id, formatRef(ELSEWHERE));
  clock.advance(30_000);
  for (let times = 0; times < 2; times++) await ask(engine);
  expect(reads.map(({ keys }) => keys.length)).toEqual([5, 3]);
  clock.advance(30_000);
  await ask(engine);
  expect(reads).toHaveLength(3);
});
