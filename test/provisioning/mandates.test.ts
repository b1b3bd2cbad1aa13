import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashOfToken, parseMandateToken } from '../../table/api-token.ts';
import { MAX_MANDATES } from '../../table/entities/mandates.ts';
import { decisionKey, edgeKey, mandateUsesKey, nodeKey } from '../../table/keys.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf, copyOf, createMemoryWorld } from '../support/world.ts';
import { furnishMandates, MANDATE } from './mandates.ts';
import type { Input } from './support.ts';

type World = ReturnType<typeof createMemoryWorld>;
const furnished = createMemoryWorld();
beforeAll(() => furnishMandates(furnished));
let world: World;
beforeEach(async () => {
  world = await copyOf(furnished);
});

const REF = { type: 'mandate', id: 'm1' };
const decided = () => world.reader.get(decisionKey(REF));
const create = (more: Input = {}) => world.run('mandate.create', { ...MANDATE, ...more });
const HOUR_MS = 3_600_000;
const later = (hours: number) => new Date(world.clock.now() + hours * HOUR_MS).toISOString();

describe('an agent', () => {
  test('is a subject without a type that somebody added, and may need no mandate', async () => {
    const mandateOptionalOf = async (id: string) =>
      (await world.reader.get(decisionKey({ type: 'subject', id })))?.mandateOptional;
    expect(await Promise.all(['agent:bot', 'agent:free'].map(mandateOptionalOf))).toEqual([undefined, true]);
    await world.run('subject.update', { user: 'agent:free', mandateOptional: null });
    expect(await mandateOptionalOf('agent:free')).toBeUndefined();
  });

  test('is the only subject of which that may be said', async () => {
    await world.run('subject-type.create', { name: 'device' });
    const pump = { type: 'device', id: 'pump' };
    const refused = 'invalid mandateOptional';
    expect(await world.outcome('subject.create', { ...pump, mandateOptional: false })).toBe(refused);
    await world.run('subject.create', pump);
    const change = { user: 'device:pump', mandateOptional: true };
    expect(await world.outcome('subject.update', change)).toBe(refused);
  });
});

describe('a mandate', () => {
  test('says to decisions who may do what for whom, where, and for a day', async () => {
    const made = await create({ when: 'action.name == "pay"', budget: { uses: 3 } });
    expect(made).toMatchObject({ status: 'active', root: 'tenant:acme', endsAt: later(24) });
    expect(await decided()).toMatchObject({
      subject: 'user:ann',
      actor: 'agent:bot',
      status: 'active',
      endsAt: later(24),
      permissions: ['invoices:*:*'],
      scopes: ['location:north'],
      when: 'action.name == "pay"',
      budget: true,
      ttl: Math.floor((world.clock.now() + 24 * HOUR_MS) / 1_000),
    });
  });

  test('has a token that is shown once, of which the table keeps the hash', async () => {
    const { token, ...made } = await create({ token: true });
    const said = { actor: 'agent:bot', subject: 'user:ann', mandate: 'mandate:m1' };
    expect(parseMandateToken(String(token))).toEqual(said);
    expect(made).not.toHaveProperty('hash');
    expect(await decided()).toMatchObject({ hash: await hashOfToken(String(token)) });
    expect(await world.run('mandate.read', { id: 'm1' })).not.toHaveProperty('token');
    expect(await create({ id: 'm2' })).not.toHaveProperty('token');
  });

  test.each<[string, Input, string]>([
    ['for who acts', { actor: 'user:ann' }, 'actor'],
    ['for an agent', { subject: 'agent:free' }, 'subject'],
    ['for nobody', { subject: 'user:none' }, 'subject'],
    ['to nobody', { actor: 'agent:none' }, 'actor'],
    ['to a scope', { actor: 'tenant:acme' }, 'actor'],
    ['of an unknown permission', { permissions: ['invoices:burn:invoice'] }, 'permissions'],
    ['of all there is', { permissions: ['*:*:*'] }, 'permissions'],
    ['of operators’ rights by a pattern', { permissions: ['provisioning:create:*'] }, 'permissions'],
    ['in two tenants', { scopes: ['location:north', 'tenant:globex'] }, 'scopes'],
    ['nowhere', { scopes: ['location:none'] }, 'scopes'],
    ['that is over', { endsAt: '2026-01-15T11:59:59Z' }, 'endsAt'],
    ['for longer than a day', { endsAt: '2026-01-16T12:00:01Z' }, 'endsAt'],
    ['with a condition that is none', { when: 'action.name ==' }, 'when'],
    ['with a condition of the wrong type', { when: 'action.properties.amount == "a"' }, 'when'],
    ['with a condition on its subject', { when: 'subject.properties.level > 2' }, 'when'],
    ['with a condition on the time', { when: 'context.time > timestamp("2026-01-01T00:00:00Z")' }, 'when'],
    ['with a sum of what is no number', { budget: { sum: 5, of: 'note' } }, 'budget'],
    ['with a sum of nothing', { budget: { sum: 5 } }, 'budget'],
    ['with two budgets', { budget: { uses: 5, sum: 5, of: 'amount' } }, 'budget'],
  ])('is not made %s', async (_what, more, field) => {
    expect(await world.refused('mandate.create', { ...MANDATE, ...more })).toMatchObject({ field });
    expect(await decided()).toBeUndefined();
  });

  test('may name a permission of operators in full, and sum up what nobody declared', async () => {
    await create({ permissions: ['provisioning:create:user'], budget: { sum: 5, of: 'pieces' } });
    expect(await decided()).toMatchObject({ budget: true });
  });

  test('lasts for as long as a setting of its tenant lets it, and for thirty days at most', async () => {
    const setting = { scope: 'tenant:acme', key: 'mandates.max-hours' };
    await world.run('setting.create', { ...setting, value: '1000', valueType: 'number' });
    await create({ endsAt: later(720) });
    const beyond = { ...MANDATE, id: 'm2', endsAt: later(721) };
    expect(await world.outcome('mandate.create', beyond)).toBe('invalid endsAt');
    await world.run('setting.update', { ...setting, value: '2' });
    expect(await create({ id: 'm3' })).toMatchObject({ endsAt: later(2) });
  });

  test('is one of a thousand of its subject that count, whoever makes it', async () => {
    const copy = { ...(await create({ id: 'first' })), Type: 'Ownership' };
    const copies = async (from: number, until: number, more: object = {}) => {
      for (let n = from; n < until; n += 50)
        await world.writer.send(
          Array.from({ length: Math.min(50, until - n) }, (_, at) => {
            const owned = { type: 'mandate', id: `x${n + at}` };
            const key = edgeKey({ type: 'user', id: 'ann' }, owned);
            return {
              kind: 'put',
              item: { ...copy, ...key, id: owned.id, owned: `mandate:${owned.id}`, ...more },
            };
          }),
        );
    };
    await copies(0, MAX_MANDATES - 2);
    await copies(5_000, 6_200, { status: 'ended' });
    await copies(7_000, 7_050, { endsAt: later(-1) });
    await create({ id: 'last' });
    await create({ id: 'other', subject: 'user:bob' });
    expect(await world.outcome('mandate.create', { ...MANDATE, id: 'more' })).toBe('limit_exceeded subject');
    await world.run('mandate.end', { id: 'first' });
    await create({ id: 'more' });
  });

  test('that is made while its scope is deleted goes with it, or is not made', async () => {
    const writer = watchWrites(world.writer, (number) => (number === 1 ? create() : undefined));
    await commandsOf({ ...world, writer }).run('location.delete', { id: 'north' });
    expect(await world.reader.get(nodeKey(REF))).toBeUndefined();
    expect(await decided()).toBeUndefined();
  });

  test('is never changed', async () => {
    await create();
    expect(await world.outcome('mandate.update', { id: 'm1', purpose: 'x' })).toBe('invalid command');
  });

  test('ends by hand, for good', async () => {
    await create();
    expect(await world.run('mandate.end', { id: 'm1' })).toMatchObject({
      status: 'ended',
      endedAt: later(0),
    });
    expect(await decided()).toMatchObject({ status: 'ended' });
    expect(await world.outcome('mandate.end', { id: 'm1' })).toBe('conflict id');
  });

  test('ends with all others of its subject', async () => {
    for (let n = 0; n < 30; n++) await create({ id: `m${n}` });
    await create({ id: 'other', subject: 'user:bob' });
    await world.run('mandate.end-all', { subject: 'user:ann' });
    const items = async (subject: string) =>
      (await world.run('mandate.list', { subject })).items as { status: string }[];
    expect(new Set((await items('user:ann')).map(({ status }) => status))).toEqual(new Set(['ended']));
    expect(await items('user:bob')).toMatchObject([{ status: 'active' }]);
  });

  test('is listed for its subject, for its actor and in its tenant, and while it counts', async () => {
    await create();
    const ids = async (by: Input) =>
      ((await world.run('mandate.list', by)).items as { id: string }[]).map(({ id }) => id);
    for (const by of [{ subject: 'user:ann' }, { actor: 'agent:bot' }, { tenant: 'tenant:acme' }, {}])
      expect(await ids(by)).toEqual(['m1']);
    for (const by of [{ subject: 'agent:bot' }, { actor: 'user:ann' }, { tenant: 'tenant:globex' }])
      expect(await ids(by)).toEqual([]);
    expect(await ids({ subject: 'user:ann', at: later(23) })).toEqual(['m1']);
    expect(await ids({ subject: 'user:ann', at: later(24) })).toEqual([]);
  });

  test.each<[string, string, Input]>([
    ['its subject', 'user.delete', { id: 'ann' }],
    ['its actor', 'subject.delete', { user: 'agent:bot' }],
    ['its scope', 'location.delete', { id: 'north' }],
    ['the tree of its scope', 'scope.delete-tree', { scope: 'tenant:acme' }],
    ['itself', 'mandate.delete', { id: 'm1' }],
  ])('goes with %s, whole', async (_what, command, input) => {
    await create({ scopes: ['location:north', 'tenant:acme'], budget: { uses: 3 } });
    const item = { ...mandateUsesKey('m1'), Type: 'MandateUses', used: 2 };
    await world.writer.send([{ kind: 'put', item }]);
    await world.run(command, input);
    const left = world
      .items()
      .filter(({ PK, SK, Type }) => `${PK} ${SK}`.includes('m1') && Type !== 'AuditLog');
    expect(left.filter(({ Type }) => Type !== 'Operation')).toEqual([]);
    expect(await world.reader.get(nodeKey(REF))).toBeUndefined();
  });

  test('has a purpose that the log does not show', async () => {
    await create();
    const records = world.items().filter(({ Type }) => Type === 'AuditLog');
    expect(records.find(({ action }) => action === 'mandate.create')?.after).toMatchObject({
      subject: 'user:ann',
      actor: 'agent:bot',
      purpose: expect.stringMatching(/^pseudonym:user:ann:/),
    });
  });
});
