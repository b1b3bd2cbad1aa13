import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../provisioning/index.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { asState, createLedgerWorld, type LedgerWorld } from './support.ts';

/**
 * `ifExists: "keep"` (docs/commands.md): an edge that is there and equal is success and writes nothing, another one is a
 * conflict; alone, in a transaction, in a batch, and where two ask at once. On the table in memory and on DynamoDB's engine.
 */
let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(`
pages: [home]
scopes: { t: { id: t, type: tenant } }
roles: { reader: { id: reader, owner: t }, writer: { id: writer, owner: t }, everywhere: { id: everywhere, global: true } }
groups: { staff: { id: staff, scope: t } }
users: { ann: { id: ann } }
`);
});

type Input = Readonly<Record<string, unknown>>;

/** An edge of each kind: as it is made, in what words it is the same, and what is another. */
const EDGES: readonly {
  readonly command: string;
  readonly input: Input;
  readonly same?: readonly Input[];
  readonly other?: readonly Input[];
}[] = [
  {
    command: 'membership.create',
    input: { user: 'ann', group: 'staff', joinedAt: '2026-01-01T00:00:00.000Z' },
    same: [{ joinedAt: undefined }, { joinedAt: '2026-01-01T00:00:00Z' }],
    other: [{ joinedAt: '2026-01-02T00:00:00Z' }],
  },
  { command: 'group-role.create', input: { group: 'staff', role: 'reader' } },
  {
    command: 'role-permission.create',
    input: { role: 'reader', permission: 'home', effect: 'ALLOW', when: "context.ip == '10.0.0.1'" },
    other: [{ when: undefined }, { when: "context.ip == '10.0.0.2'" }, { effect: 'DENY' }],
  },
  {
    command: 'assignment.create',
    input: { user: 'ann', role: 'reader', scope: 'tenant:t', endsAt: '2027-01-01T00:00:00Z' },
    same: [{ endsAt: '2027-01-01T01:00:00+01:00' }],
    // Without an end it is for longer, also where the one that is there has ended.
    other: [{ endsAt: undefined }, { startsAt: '2026-01-01T00:00:00Z' }, { id: 'another' }],
  },
  { command: 'global-role.create', input: { user: 'ann', role: 'everywhere' } },
  { command: 'admin.create', input: { user: 'ann' } },
  {
    command: 'grant.create',
    input: { user: 'ann', scope: 'tenant:t', roles: ['reader', 'writer'] },
    same: [{ roles: ['writer', 'reader'] }],
    other: [{ roles: ['reader'] }, { roles: undefined }],
  },
];

const without = (input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
const ask = (command: string, input: Input) => world.provision({ command, input: without(input) });
const codeOf = (answer: Answer) =>
  answer.ok ? (answer.result.kept === true ? 'kept' : 'made') : answer.error.code;
const everything = async () => asState(await world.everything());

describe.each(EDGES)('$command', ({ command, input, same = [], other = [] }) => {
  test('an equal one is kept, and nothing is written', async () => {
    const keep = { ...input, ifExists: 'keep' };
    expect(codeOf(await ask(command, keep))).toBe('made');
    const before = await everything();
    for (const changes of [{}, ...same])
      expect(codeOf(await ask(command, { ...keep, ...changes })), JSON.stringify(changes)).toBe('kept');
    expect(await everything()).toEqual(before);
  });

  test('another one is a conflict, and nothing is written', async () => {
    await ask(command, input);
    const before = await everything();
    for (const changes of other) {
      const answer = await ask(command, { ...input, ...changes, ifExists: 'keep' });
      expect(codeOf(answer), JSON.stringify(changes)).toBe('conflict');
    }
    expect(await everything()).toEqual(before);
  });

  test('of ten at once one makes it, and the others find it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(command, { ...input, ifExists: 'keep' })),
    );
    expect(answers.map(codeOf).toSorted()).toEqual([...Array(9).fill('kept'), 'made']);
  });
});

test('every command that creates an edge takes it', () => {
  const taking = [...COMMANDS.values()].filter(
    ({ input }) => 'ifExists' in ((input as { shape?: object }).shape ?? {}),
  );
  const EDGE =
    /^(?:membership|group-role|role-permission|assignment|global-role|admin|grant|setting)\.create$/;
  const edges = [...COMMANDS.keys()].filter(
    (name) =>
      EDGE.test(name) || /^(?:workstream-member|enterprise-product|enterprise-service)\.create$/.test(name),
  );
  expect(taking.map(({ name }) => name).toSorted()).toEqual([...edges, 'transaction.write'].toSorted());
});

const parts = EDGES.map(({ command, input }) => ({ command, input }));

test('a transaction keeps what is there, and writes the rest with one record for each', async () => {
  for (const { command, input } of parts.slice(0, 3)) await ask(command, input);
  const records = async () => (await world.everything()).filter(({ Type }) => Type === 'AuditLog').length;
  const before = await records();
  const whole = { commands: parts, ifExists: 'keep' };
  expect(await ask('transaction.write', whole)).toMatchObject({ ok: true });
  expect(await records()).toBe(before + parts.length - 3);
  const now = await everything();
  expect(await ask('transaction.write', whole)).toMatchObject({ ok: true });
  expect(await everything()).toEqual(now);
  expect(codeOf(await ask('transaction.write', { commands: parts }))).toBe('conflict');
});

test('two transactions at once both succeed, and so do two batches', async () => {
  const whole = { commands: parts.slice(0, 4), ifExists: 'keep' };
  const two = await Promise.all([ask('transaction.write', whole), ask('transaction.write', whole)]);
  expect(two).toMatchObject([{ ok: true }, { ok: true }]);
  const batch = () => world.provision({ batch: parts, ifExists: 'keep' });
  for (const answer of await Promise.all([batch(), batch()])) {
    if (!answer.ok) throw new Error(answer.error.message);
    const answers = answer.result.answers as readonly Answer[];
    expect(answers.map(codeOf).every((code) => code === 'made' || code === 'kept')).toBe(true);
  }
  const again = await world.provision({ batch: parts });
  if (!again.ok) throw new Error(again.error.message);
  expect(new Set((again.result.answers as readonly Answer[]).map(codeOf))).toEqual(new Set(['conflict']));
});
