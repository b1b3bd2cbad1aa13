import { describe, expect, test } from 'vitest';
import { createSubjectOf, type VerifiedClaims } from '../../authorizer/index.ts';
import { createLoad, type Plan } from '../../engine/load.ts';
import { guardKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

/** Issuer and `sub` of a user: one identity, unique, found by its guard. */
const ISSUER = 'https://token.actions.example/';
const SUB = 'repo:org/name:ref:refs/heads/main';
const world = await createWorld();
const guardOf = (sub: string, issuer = ISSUER) => world.reader.get(guardKey('IDENTITY', sub, issuer));

/** Asks as the authorizer does with SUBJECT_FROM=identity, and counts the calls. */
async function subjectOf(iss: string, sub: string) {
  world.settle();
  world.calls.length = 0;
  const { load } = createLoad({ ...world, wait: async () => {}, random: () => 0 });
  const ofClaims = createSubjectOf({ kind: 'identity', name: 'sub' });
  const plan: Plan<string | null> = (look) => ofClaims({ iss, sub } as unknown as VerifiedClaims, look);
  const [subject] = await load([plan], 'cached', (loaded) => loaded.map(({ value }) => value));
  return { subject, calls: world.calls.length };
}

/** Guests of one large directory, a WebID, and texts that an issuer and a `sub` without `#` could be taken for. */
const WITH_HASH = [
  'ann_example.com#EXT#@ours.example',
  'https://ann.example/profile#me',
  '#',
  'a##b',
  `#${SUB}`,
  'META#',
];

test.each(WITH_HASH)('the subject %s, which no id can spell, is found by its identity', async (sub) => {
  const { id } = await world.run('user.create', { issuer: ISSUER, sub });
  expect(await subjectOf(ISSUER, sub)).toEqual({ subject: `user:${id}`, calls: 1 });
  expect(await world.run('user.find', { issuer: ISSUER, sub })).toMatchObject({ id });
  for (const other of [sub.replaceAll('#', '.'), sub.replaceAll('#', '%23'), `${sub}#`, sub.slice(0, -1)])
    if (other !== '' && !WITH_HASH.includes(other))
      expect((await subjectOf(ISSUER, other)).subject, other).toBeNull();
  expect(await world.refused('user.create', { issuer: ISSUER, sub })).toMatchObject({ code: 'conflict' });
  expect(await world.outcome('user.create', { issuer: `${ISSUER}#`, sub })).toBe('invalid issuer');
  await world.run('user.delete', { id });
  expect((await subjectOf(ISSUER, sub)).subject).toBeNull();
});

test('an identity finds its user, by one read', async () => {
  const { id } = await world.run('user.create', { issuer: ISSUER, sub: SUB });
  expect(await subjectOf(ISSUER, SUB)).toEqual({ subject: `user:${id}`, calls: 1 });
  const identity = { issuer: ISSUER, sub: SUB };
  expect(await world.run('user.find', identity)).toMatchObject({ id, ref: `user:${id}` });
  expect(await world.run('user.read', identity)).toMatchObject({ id, ...identity });
  expect(await world.outcome('user.find', { issuer: ISSUER, sub: 'nobody' })).toBe('not_found sub');
});

test('one identity has one user; the same sub of two issuers is two', async () => {
  const { id } = await world.run('user.create', { issuer: ISSUER, sub: 'twice' });
  expect(await world.refused('user.create', { issuer: ISSUER, sub: 'twice' })).toMatchObject({
    code: 'conflict',
    field: 'sub',
    holder: `user:${id}`,
  });
  const { id: other } = await world.run('user.create', { issuer: `${ISSUER}b`, sub: 'twice' });
  expect((await subjectOf(ISSUER, 'twice')).subject).toBe(`user:${id}`);
  expect((await subjectOf(`${ISSUER}b`, 'twice')).subject).toBe(`user:${other}`);
});

test('a change of either part moves the guard, and a deletion frees it', async () => {
  const { id } = await world.run('user.create', { issuer: ISSUER, sub: 'mover' });
  await world.run('user.update', { id, issuer: 'https://new.example' });
  expect(await guardOf('mover')).toBeUndefined();
  expect((await subjectOf('https://new.example', 'mover')).subject).toBe(`user:${id}`);
  await world.run('user.update', { id, sub: 'moved' });
  expect(await guardOf('mover', 'https://new.example')).toBeUndefined();
  await world.run('user.update', { id, issuer: null, sub: null });
  expect(await guardOf('moved', 'https://new.example')).toBeUndefined();
  await world.run('user.update', { id, issuer: ISSUER, sub: 'again' });
  await world.run('user.delete', { id });
  expect(await guardOf('again')).toBeUndefined();
});

describe('is refused, with the field', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['an issuer alone', { issuer: ISSUER }, 'sub'],
    ['a sub alone', { sub: SUB }, 'issuer'],
    ['a # in the issuer', { issuer: `${ISSUER}#a`, sub: SUB }, 'issuer'],
    ['a line feed', { issuer: ISSUER, sub: 'a\nb' }, 'sub'],
    ['a control character in the issuer', { issuer: `${ISSUER}\u0000`, sub: SUB }, 'issuer'],
    ['half a surrogate pair', { issuer: ISSUER, sub: 'a\ud83d' }, 'sub'],
    ['an empty sub', { issuer: ISSUER, sub: '' }, 'sub'],
    ['a blank issuer', { issuer: ' ', sub: SUB }, 'issuer'],
    ['a sub of 256 bytes', { issuer: ISSUER, sub: 'a'.repeat(256) }, 'sub'],
    ['a sub of 258 bytes in 86 characters', { issuer: ISSUER, sub: '€'.repeat(86) }, 'sub'],
    ['an issuer of 513 bytes', { issuer: 'a'.repeat(513), sub: SUB }, 'issuer'],
    ['a number', { issuer: ISSUER, sub: 7 }, 'sub'],
  ])('%s, at creation and at an update', async (_what, values, field) => {
    expect(await world.outcome('user.create', values)).toBe(`invalid ${field}`);
    const { id } = await world.run('user.create', {});
    expect(await world.outcome('user.update', { id, ...values })).toBe(`invalid ${field}`);
  });

  test('one half of an identity that is cleared', async () => {
    const { id } = await world.run('user.create', { issuer: ISSUER, sub: 'half' });
    expect(await world.refused('user.update', { id, issuer: null })).toMatchObject({ field: 'issuer' });
    expect(await world.refused('user.update', { id, sub: null })).toMatchObject({ field: 'sub' });
    expect((await subjectOf(ISSUER, 'half')).subject).toBe(`user:${id}`);
  });
});

test('the longest identity is kept, found and listed', async () => {
  const [issuer, sub] = ['"'.repeat(512), '"'.repeat(255)];
  const { id } = await world.run('user.create', { issuer, sub });
  expect((await subjectOf(issuer, sub)).subject).toBe(`user:${id}`);
});
