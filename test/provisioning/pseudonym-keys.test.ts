import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { parseRef } from '../../table/identifiers.ts';
import { identityOf, type Key, pseudonymKey } from '../../table/keys.ts';
import { watchReads } from '../support/watched-reader.ts';
import { createMemoryWorld } from './apply/support.ts';

/** Who is made has no key of pseudonyms in general, so none is read. One that is there all the same is kept. */
function createStage() {
  const world = createMemoryWorld();
  const read: string[] = [];
  const reader = watchReads(world.reader, (method, asked: Key | readonly Key[]) => {
    if (method.startsWith('get')) read.push(...[asked].flat().map(identityOf));
  });
  const newSecret = () => ulid().repeat(2);
  const provision = createProvisioning({ ...world, reader, newSecret, newId: () => ulid() });
  const keyOf = (id: string) => pseudonymKey(parseRef(`user:${id}`, 'user'));
  return {
    provision,
    world,
    readsOfKey: (id: string) => read.filter((identity) => identity === identityOf(keyOf(id))).length,
    key: (id: string) => world.reader.get(keyOf(id)),
  };
}

const create = (id: string) => ({
  command: 'user.create',
  input: { id, email: `${id}@example.com`, displayName: 'Ann' },
});

describe.each([
  ['by itself', false],
  ['in a batch', true],
])('a user who is made %s', (_, isBatch) => {
  const event = (id: string) => (isBatch ? { batch: [create(id), create(`${id}-other`)] } : create(id));

  test('has a new key, and nobody looked for one', async () => {
    const { provision, readsOfKey, key } = createStage();
    expect(await provision(event('ann'))).toMatchObject({ ok: true });
    expect(await key('ann')).toMatchObject({ Type: 'PseudonymKey' });
    expect(readsOfKey('ann')).toBe(0);
  });

  test('and was there before keeps the key, so that older records can be read', async () => {
    const { provision, key } = createStage();
    await provision(create('ann'));
    const first = await key('ann');
    expect(await provision({ command: 'user.delete', input: { id: 'ann' } })).toMatchObject({ ok: true });
    expect(await provision(event('ann'))).toMatchObject({ ok: true });
    expect(await key('ann')).toEqual(first);
    const log = await provision({ command: 'audit.list', input: {} });
    const names = (log.ok ? (log.result.items as { after?: { displayName?: string } }[]) : []).flatMap(
      ({ after }) => after?.displayName ?? [],
    );
    expect(new Set(names)).toEqual(new Set(['Ann']));
  });
});

test('two values of one user take one read of the key', async () => {
  const { provision, readsOfKey } = createStage();
  await provision(create('ann'));
  const input = { id: 'ann', email: 'ann@example.org', displayName: 'Anna' };
  expect(await provision({ command: 'user.update', input })).toMatchObject({ ok: true });
  expect(readsOfKey('ann')).toBe(1);
});

test.each([
  ['an input', (sent: string) => ({ input: { relatedEntities: { email: [sent] } } })],
  ['where it came from', (userAgent: string) => ({ origin: { userAgent } })],
  ['data of where it came from', (sent: string) => ({ origin: { metadata: { email: sent } } })],
  ['who sent it', (sent: string) => ({ actor: sent.slice(0, 128) })],
])('a pseudonym is refused in %s: the log would open it for somebody else', async (_, given) => {
  const { provision, world } = createStage();
  await provision(create('ann'));
  const [email] = world
    .items()
    .flatMap(({ after }) => (after as { email?: string } | undefined)?.email ?? []);
  const { input, ...more } = { input: {}, ...given(String(email)) };
  const sent = { action: 'x', entityType: 'thing', entityId: '1', ...input };
  const event = { command: 'audit.create', input: sent, ...more };
  expect(await provision(event)).toMatchObject({
    error: { code: 'invalid', message: expect.stringContaining('pseudonym') },
  });
});

test('permissions and references of a module or a type named pseudonym are none', async () => {
  const { provision } = createStage();
  const relatedEntities = {
    names: ['pseudonym:resolve:record', 'pseudonym:*:*', 'pseudonym:', 'pseudonym:p1'],
  };
  const input = { action: 'x', entityType: 'thing', entityId: '1', relatedEntities };
  const event = { command: 'audit.create', input, actor: 'pseudonym:p1' };
  expect(await provision(event)).toMatchObject({ ok: true });
});
