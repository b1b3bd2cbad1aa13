import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Key, parseKey } from '../../../table/keys.ts';
import { watchReads } from '../../support/watched-reader.ts';
import { afterWrites, watchWrites } from '../../support/watched-writer.ts';
import { commandsOf } from '../../support/world.ts';
import { createMemoryWorld, planOn } from './support.ts';

/** While a transaction of an apply is being written, the next one is planned. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const SCHOOL = `
scopes: { school: { type: tenant } }
groups: { all: { scope: school } }
`;
const USERS = `${SCHOOL}
users:
${numbers(90)
  .map((number) => `  user-${number}: { email: "user-${number}@school.example", groups: [all] }`)
  .join('\n')}
`;

/** An apply whose transactions end only when nobody reads any more; how often it was reading while one was written. */
async function apply(text: string, world = createMemoryWorld()) {
  const open = { writes: 0, most: 0 };
  const during = { reads: 0, edges: 0 };
  const reader = watchReads(world.reader, (method, asked) => {
    if (open.writes > 0) during.reads += 1;
    if (method === 'getMany')
      during.edges += (asked as readonly Key[]).filter((key) => parseKey(key)?.form === 'edge').length;
  });
  const begin = async () => {
    open.writes += 1;
    open.most = Math.max(open.most, open.writes);
    await turns();
  };
  const end = () => {
    open.writes -= 1;
  };
  const { run } = commandsOf({ ...world, reader, writer: watchWrites(world.writer, begin, end) });
  // Agreed to: what nobody has planned before is tried on a copy first.
  await run('tenant.apply', { manifest: parse(text), agreed: [] });
  expect((await planOn(world, text)).steps).toEqual([]);
  return { world, during, most: open.most };
}

test('of steps that do not look at each other', async () => {
  const { world } = await apply(SCHOOL);
  const { during, most } = await apply(USERS, world);
  expect(during.reads).toBeGreaterThan(0);
  // An edge that was not there when it was compared is read only after a refusal.
  expect(during.edges).toBe(0);
  // They are written one after the other all the same: their order is what makes them safe.
  expect(most).toBe(1);
});

test('what looks at what is being written is planned anew when it is there', async () => {
  const roles = numbers(30).map((number) => `  role-${number}: { owner: school, allow: [page-${number}] }`);
  const places = numbers(30).map(
    (number) => `  place-${number}: { type: location, parent: school, code: P${number} }`,
  );
  await apply(`
pages: [${numbers(30).map((number) => `page-${number}`)}]
scopes:
  school: { type: tenant }
${places.join('\n')}
roles:
${roles.join('\n')}
groups: { all: { scope: place-29, roles: [role-0, role-29] } }
`);
});

test('what somebody changes meanwhile is found by the conditions, and it is compared anew', async () => {
  const { world } = await apply(SCHOOL);
  const afterFirst = async (number: number) => {
    if (number > 1) return;
    // The next transaction is planned by now.
    await turns();
    await world.run('user.create', { id: 'late', email: 'user-89@school.example', displayName: 'Late' });
  };
  await commandsOf({ ...world, writer: afterWrites(world.writer, afterFirst) }).apply(USERS);
  expect((await planOn(world, USERS)).steps).toEqual([]);
});
