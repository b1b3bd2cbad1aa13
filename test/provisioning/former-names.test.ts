import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { canonical } from '../../provisioning/canonical.ts';
import { sha256 } from '../../table/bytes.ts';
import { approvalKey, operationKey } from '../../table/keys.ts';
import { createOperatorsWorld, type OperatorsWorld } from './operators.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/** Former names of fields, which are taken for one release (ADR 0039). */
const OLD_WARD = { type: 'ward', id: 'one' };
const OLD_DEVICE = { type: 'sensor', id: 'd1' };

/** Each command that had other names: an input by the names of now and by those of before, and the field. */
const RENAMED: readonly (readonly [command: string, now: Input, before: Input, field: string])[] = [
  ['scope.read', { scope: 'ward:one' }, OLD_WARD, 'scope'],
  ['scope.update', { scope: 'ward:one', name: 'Two' }, { ...OLD_WARD, name: 'Two' }, 'scope'],
  ['scope.delete', { scope: 'ward:one' }, OLD_WARD, 'scope'],
  ['subject.read', { user: 'sensor:d1' }, OLD_DEVICE, 'user'],
  ['subject.update', { user: 'sensor:d1', name: 'Door' }, { ...OLD_DEVICE, name: 'Door' }, 'user'],
  ['subject.delete', { user: 'sensor:d1' }, OLD_DEVICE, 'user'],
  ['user.access', { id: 'gwen' }, { user: 'gwen' }, 'id'],
  ['user.access', { id: 'sensor:d1', limit: 5 }, { user: 'sensor:d1', limit: 5 }, 'id'],
];
const WRITES = RENAMED.filter(([command]) => /\.(?:update|delete)$/.test(command));

interface Result {
  readonly result: { readonly answers: readonly { readonly error?: Input }[] };
}

const furnish = ({ apply }: Pick<LedgerWorld, 'apply'>) =>
  apply(`
scopeTypes: { ward: { parents: [tenant] } }
subjectTypes: [sensor]
scopes: { North: { id: north, type: tenant }, One: { id: one, type: ward, parent: North } }
roles: { watch: { id: watch, global: true } }
users: { gwen: { id: gwen, globalRoles: [watch] } }
subjects: { Bed: { id: d1, type: sensor, tenant: North, globalRoles: [watch] } }
`);

describe('a former name', () => {
  let world: LedgerWorld;
  beforeEach(async () => {
    world = await createLedgerWorld();
    await furnish(world);
  });
  const answer = async (command: string, input: Input, more: Input = {}) => {
    const { token: _, ...rest } = (await world.provision({ command, input, ...more })) as unknown as Input;
    return rest;
  };

  test.each(RENAMED)('of %s answers as the name of now: alone, in a batch, in a dry run', async (...each) => {
    const [command, now, before] = each;
    const dry = await answer(command, before, { dryRun: true });
    expect(dry.ok, JSON.stringify(dry)).toBe(true);
    expect(await answer(command, now, { dryRun: true })).toEqual(dry);
    const batched = (input: Input) =>
      world.provision({ batch: [{ command, input }], dryRun: true }) as Promise<unknown>;
    expect(await batched(before)).toEqual(await batched(now));
    expect(await batched(before)).toMatchObject({ ok: true, result: { answers: [{ ok: true }] } });
    expect((await answer(command, before)).ok).toBe(true);
  });

  test.each(RENAMED)(
    'of %s is refused beside the name of now, also where both say the same',
    async (...each) => {
      const [command, now, before, field] = each;
      const error = { code: 'invalid', field, retryable: false };
      for (const old of Object.keys(before).filter((name) => !(name in now))) {
        const both = { ...now, [old]: before[old] };
        const refused = await answer(command, both);
        expect(refused).toMatchObject({ ok: false, error });
        expect((refused.error as Input).message).toMatch(
          new RegExp(`^${field} and (?:type|${old}) name the same`),
        );
        expect(await world.provision({ batch: [{ command, input: both }] })).toMatchObject({
          result: { answers: [{ ok: false, error }] },
        });
      }
    },
  );

  test.each(WRITES)('of %s in a transaction and in a comparison', async (command, now, before, field) => {
    const inside = (input: Input) => ({ commands: [{ command, input }] });
    const both = { ...now, ...before };
    const nested = (input: Input) => ({ commands: [{ command: 'transaction.write', input: inside(input) }] });
    for (const [whole, wrap, at] of [
      ['access.compare', inside, 'commands.0.'],
      ['access.compare', nested, 'commands.0.commands.0.'],
      ['transaction.write', inside, 'commands.0.'],
    ] as const) {
      expect(await answer(whole, wrap(both))).toMatchObject({
        ok: false,
        error: { code: 'invalid', field: `${at}${field}` },
      });
      const dry = await answer(whole, wrap(before), { dryRun: true });
      expect(dry.ok, JSON.stringify(dry)).toBe(true);
      expect(dry).toEqual(await answer(whole, wrap(now), { dryRun: true }));
    }
    expect((await answer('transaction.write', inside(before))).ok).toBe(true);
  });

  test.each<[Input, string]>([
    [{ type: 'ward' }, 'id'],
    [{ id: 'one' }, 'type'],
    ...[null, 1, ['ward'], {}].map((type): [Input, string] => [{ type, id: 'one' }, 'type']),
    // A colon makes no other reference of it.
    [{ type: 'ward:one', id: 'x' }, 'scope'],
    [{ type: 'tenant', id: 'north' }, 'scope'],
    [{ type: 'ward', id: 'x:one' }, 'scope'],
    [{ type: '', id: 'ward:one' }, 'scope'],
    [JSON.parse('{"type":"ward","id":"one","__proto__":{"scope":"ward:one"}}'), '__proto__'],
  ])('that is half of a reference, or no text, is refused: %j', async (before, field) => {
    expect(await answer('scope.read', before)).toMatchObject({ error: { code: 'invalid', field } });
  });

  test.each(WRITES)('of %s makes the same operation as the name of now', async (command, now, before) => {
    const first = await answer(command, before, { operationId: 'once' });
    expect(first.ok).toBe(true);
    const count = world.transactions.length;
    expect(await answer(command, now, { operationId: 'once' })).toEqual(first);
    expect(await answer(command, before, { operationId: 'once' })).toEqual(first);
    const batched = await world.provision({ batch: [{ command, input: before, operationId: 'once' }] });
    expect(batched).toMatchObject({ result: { answers: [{ ok: true, result: first.result }] } });
    expect(world.transactions.length).toBe(count);
    expect(await answer(command, { ...now, name: 'other' }, { operationId: 'once' })).toMatchObject({
      ok: false,
    });
  });

  test.each([
    ...WRITES,
    ...WRITES.map(([command, now, before, field]) => {
      const inside = (input: Input) => ({ commands: [{ command, input }] });
      return ['transaction.write', inside(now), inside(before), field] as const;
    }),
  ])('is on record of an operation before this release: %s %j', async (command, now, before) => {
    const digest = await sha256(canonical([command, before]));
    const result = { was: 'done' };
    const done = { command, digest, result, createdAt: '2026-01-01T00:00:00.000Z' };
    const item = { ...operationKey('old'), Type: 'Operation', ...done };
    await world.writer.send([{ kind: 'put', item }]);
    const count = world.transactions.length;
    for (const input of [now, before])
      expect(await answer(command, input, { operationId: 'old' })).toMatchObject({ ok: true, result });
    expect(await answer(command, now, { operationId: 'old2' })).not.toMatchObject({ result });
    expect(world.transactions.length).toBe(count + 1);
  });
});

describe('operators', () => {
  let world: OperatorsWorld;
  beforeAll(async () => {
    world = await createOperatorsWorld(await createLedgerWorld(), ['subject.delete']);
    await furnish(world);
    await world.register(...new Set(RENAMED.map(([command]) => command)), 'transaction.write');
    await world.register('approval.approve', 'approval.list', 'user.read');
  });

  test.each(RENAMED)('of another tenant may not do %s by a former name either', async (...each) => {
    const [command, now, before] = each;
    const refused = await world.outcome('ann', command, now);
    expect(refused).toMatch(/^not_permitted/);
    expect(await world.outcome('ann', command, before)).toBe(refused);
    const token = world.tokens.ann?.text;
    const batched = async (input: Input) => {
      const { result } = (await world.provision({ batch: [{ command, input }], token })) as unknown as Result;
      return result.answers[0]?.error;
    };
    expect(await batched(before)).toEqual(await batched(now));
    expect(await batched(before)).toMatchObject({ code: 'not_permitted' });
    // A tenant of one's own beside it changes nothing.
    if (command === 'subject.update')
      for (const input of [before, now]) {
        const beside = { ...input, tenant: 'tenant:acme' };
        expect(await world.outcome('ann', command, beside)).toBe('not_permitted user');
        expect(await batched(beside)).toMatchObject({ code: 'not_permitted', field: 'user' });
      }
    if (!WRITES.some(([name]) => name === command)) return;
    for (const input of [now, before])
      expect(await world.outcome('ann', 'transaction.write', { commands: [{ command, input }] })).toMatch(
        /^not_permitted commands\.0\.(?:scope|user)$/,
      );
  });

  test('a command by a former name waits for approval, and is kept and carried out by the name of now', async () => {
    await world.run('subject.create', { type: 'sensor', id: 'd2' });
    const old = { type: 'sensor', id: 'd2' };
    const waiting = { operationId: 'd2-goes' };
    for (const input of [old, { user: 'sensor:d2' }])
      expect(await world.outcome('olga', 'subject.delete', input, waiting)).toBe('approval_required');
    expect(await world.as('pam', 'approval.list', {})).toMatchObject({
      result: { items: [{ id: 'd2-goes', input: { user: 'sensor:d2' } }] },
    });
    expect(await world.as('pam', 'approval.approve', { id: 'd2-goes' })).toMatchObject({
      ok: true,
      result: { result: { ...old, deleted: true } },
    });
  });

  test('a request that was kept before this release is carried out, and asked for again is the same', async () => {
    const old = { type: 'sensor', id: 'd3' };
    await world.run('subject.create', old);
    const again = { operationId: 'd3-goes' };
    await world.as('olga', 'subject.delete', { user: 'sensor:d3' }, again);
    const key = approvalKey('d3-goes');
    const kept = (await world.reader.get(key)) ?? key;
    const digest = await sha256(canonical(['subject.delete', old]));
    await world.writer.send([{ kind: 'put', item: { ...kept, input: JSON.stringify(old), digest } }]);
    for (const input of [old, { user: 'sensor:d3' }])
      expect(await world.outcome('olga', 'subject.delete', input, again)).toBe('approval_required');
    expect(await world.outcome('zoe', 'approval.approve', { id: 'd3-goes' })).toBe('ok');
    expect(await world.outcome('olga', 'subject.read', old)).toBe('not_found user');
  });
});
