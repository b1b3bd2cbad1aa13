import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../provisioning/ids.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import type { Operator, Operators } from '../../provisioning/operators/operator.ts';
import { formatMandateToken } from '../../table/api-token.ts';
import { copyOf, createMemoryWorld, outcomeOf } from '../support/world.ts';
import { createOperatorsWorld, operatorsOn } from './operators.ts';
import type { Input } from './support.ts';

const COMMANDS = ['create', 'read', 'list', 'end', 'end-all', 'use'].map((verb) => `mandate.${verb}`);

const furnished = createMemoryWorld();
let known: Parameters<typeof operatorsOn>[1];
beforeAll(async () => {
  const { register, run, apply, tokens, registered } = await createOperatorsWorld(furnished);
  await register(...COMMANDS, 'user.create', 'approval.list');
  await apply(`
permissions: ["invoices:pay:invoice"]
roles: { payer: { id: payer, allow: ["invoices:pay:invoice"] } }
subjects:
  bot: { type: agent, id: bot, mandateOptional: true }
  stray: { type: agent, id: stray }
`);
  await run('grant.create', { user: 'agent:bot', scope: 'tenant:acme', roles: ['operator', 'payer'] });
  await run('grant.create', { user: 'nobody', scope: 'tenant:acme', roles: ['payer'] });
  known = { tokens, registered };
});

/** The world of every test, where some commands may need approval. */
const worldWhere = (...approvalFor: readonly string[]) => operatorsOn(copyOf(furnished), known, approvalFor);
let world: ReturnType<typeof worldWhere>;
beforeEach(() => {
  world = worldWhere();
});

/** Provisioning that knows some things of operators otherwise. */
function provisioningBy(other: Partial<Operators>, approvalFor: readonly string[] = []) {
  const { reader, writer, clock, newSecret } = world;
  const operators = { ...world.operators, ...other };
  const operatorRules = { operators, approvalFor };
  return createProvisioning({ reader, writer, clock, newSecret, newId: createIds(), operatorRules });
}

/** What the agent is asked to do. */
const PAYING = { permission: 'invoices:pay:invoice', scope: 'tenant:acme' };

const mandateOf = (user: string, more: Input = {}): Input => ({
  id: `of-${user}`,
  subject: `user:${user}`,
  actor: 'agent:bot',
  permissions: ['invoices:pay:invoice'],
  scopes: ['tenant:acme'],
  purpose: 'pays',
  ...more,
});

/** One of nobody's, who chooses no id. */
const own = (more: Input = {}): Input => mandateOf('nobody', { id: undefined, ...more });

describe('whoever a mandate is for', () => {
  test('makes it, lists it, reads it and ends it without a right of operators', async () => {
    const { as, outcome } = world;
    const made = await as('nobody', 'mandate.create', own({ token: true }));
    const id = made.ok ? made.result.id : undefined;
    expect(await outcome('nobody', 'mandate.list', { subject: 'user:nobody' })).toBe('ok');
    expect(await outcome('nobody', 'mandate.read', { id })).toBe('ok');
    expect(await outcome('nobody', 'mandate.end', { id })).toBe('ok');
    expect(await outcome('nobody', 'mandate.create', own())).toBe('ok');
    expect(await outcome('nobody', 'mandate.end-all', { subject: 'user:nobody' })).toBe('ok');
  });

  describe('makes none where it, or who is to act, has nothing of its own, nor learns what is there:', () => {
    const refusal = async (more: Input) => world.as('nobody', 'mandate.create', own(more));
    let elsewhere: unknown;
    beforeEach(async () => {
      elsewhere = await refusal({ scopes: ['tenant:none'] });
      expect(elsewhere).toMatchObject({ error: { code: 'not_permitted', field: 'scopes' } });
    });

    test.each<[string, Input]>([
      ['a tenant of others', { scopes: ['tenant:globex'] }],
      ['a scope of its own, and one of others', { scopes: ['tenant:acme', 'tenant:globex'] }],
      ['a scope of its own, and one that is not there', { scopes: ['tenant:acme', 'location:none'] }],
      ['a scope of a type that is not there', { scopes: ['ward:none'] }],
      ['an agent of others', { actor: 'agent:stray' }],
      ['an agent that is not there', { actor: 'agent:none' }],
      ['an id that is taken', { id: 'of-bob' }],
      ['an id that is free', { id: 'free' }],
    ])('%s', async (_what, more) => {
      await world.run('mandate.create', mandateOf('bob'));
      expect(await refusal(more)).toEqual(elsewhere);
    });

    test.each<[string, () => Promise<unknown>]>([
      [
        'a grant that has ended',
        async () => {
          await world.run('grant.delete', { user: 'nobody', scope: 'tenant:acme' });
          const assignment = { user: 'nobody', role: 'payer', scope: 'tenant:acme' };
          await world.run('assignment.create', { ...assignment, endsAt: '2026-01-15T12:00:01.000Z' });
          world.clock.advance(2_000);
        },
      ],
      ['a tenant that is closed', () => world.run('tenant.update', { id: 'acme', status: 'suspended' })],
      [
        'an agent that is suspended',
        () => world.run('subject.update', { user: 'agent:bot', status: 'inactive' }),
      ],
      [
        'what everybody has',
        async () => {
          await world.run('grant.delete', { user: 'nobody', scope: 'tenant:acme' });
          await world.run('group.create', { id: 'all', name: 'All', scope: 'tenant:acme', everyone: true });
          await world.run('group-role.create', { group: 'all', role: 'payer' });
        },
      ],
    ])('%s', async (_what, change) => {
      await change();
      expect(await refusal({})).toEqual(elsewhere);
    });

    test('in a transaction, and in a batch', async () => {
      const part = (scope: string) => ({ command: 'mandate.create', input: own({ scopes: [scope] }) });
      const transaction = (scope: string) =>
        world.as('nobody', 'transaction.write', { commands: [part('tenant:acme'), part(scope)] });
      expect(await transaction('tenant:globex')).toEqual(await transaction('tenant:none'));
      expect(await world.outcome('nobody', 'transaction.write', { commands: [part('tenant:acme')] })).toBe(
        'ok',
      );
      const batch = (scope: string) =>
        world.provision({ batch: [part(scope)], token: world.tokens.nobody?.text });
      const { result } = (await batch('tenant:globex')) as unknown as { result: { answers: unknown[] } };
      expect(result.answers).toEqual([elsewhere]);
    });

    test('and writes nothing there, whatever it tries', async () => {
      const items = () => world.as('olga', 'audit.list', { scope: 'tenant:globex' });
      const before = await items();
      for (const more of [{ scopes: ['tenant:globex'] }, { actor: 'agent:stray' }, { id: 'x' }]) {
        await refusal(more);
        await world.as('nobody', 'mandate.create', own(more), { dryRun: true });
      }
      expect(await items()).toEqual(before);
    });
  });

  test('loses what it had there between the look at the scopes and the plan', async () => {
    const { operators, tokens } = world;
    let looks = 0;
    const areGranted = async (...asked: Parameters<typeof operators.areGranted>) => {
      looks += 1;
      if (looks === 2) await world.run('grant.delete', { user: 'nobody', scope: 'tenant:acme' });
      return operators.areGranted(...asked);
    };
    const event = { command: 'mandate.create', input: own(), token: tokens.nobody?.text };
    expect(outcomeOf(await provisioningBy({ areGranted })(event))).toMatch(/^not_permitted/);
  });

  test.each<[string, string, Input]>([
    ['make one for somebody else', 'mandate.create', mandateOf('bob')],
    ['list those of somebody else', 'mandate.list', { subject: 'user:bob' }],
    ['list those of an actor', 'mandate.list', { actor: 'agent:bot' }],
    ['list those of a tenant', 'mandate.list', { tenant: 'tenant:acme' }],
    ['list all', 'mandate.list', {}],
    ['read another one', 'mandate.read', { id: 'of-ann' }],
    ['end another one', 'mandate.end', { id: 'of-ann' }],
    ['end one that is not there', 'mandate.end', { id: 'none' }],
    ['end all of somebody else', 'mandate.end-all', { subject: 'user:ann' }],
    ['delete its own', 'mandate.delete', { id: 'of-nobody' }],
    [
      'compare what its own would change',
      'access.compare',
      { commands: [{ command: 'mandate.create', input: mandateOf('nobody', { id: 'x' }) }] },
    ],
  ])('may not %s', async (_what, command, input) => {
    await world.run('mandate.create', mandateOf('ann'));
    await world.run('mandate.create', mandateOf('nobody'));
    expect(await world.outcome('nobody', command, input)).toMatch(/^not_permitted/);
  });

  test.each<[string, Input]>([
    ['is suspended', { status: 'inactive' }],
    ['has ended', { endsAt: '2026-01-01T00:00:00.000Z' }],
  ])('may do none of it while it %s', async (_what, change) => {
    await world.run('mandate.create', mandateOf('nobody'));
    await world.run('user.update', { id: 'nobody', ...change });
    for (const [command, input] of [
      ['mandate.create', own({ token: true })],
      ['mandate.read', { id: 'of-nobody' }],
      ['transaction.write', { commands: [{ command: 'mandate.create', input: own() }] }],
    ] as const)
      expect(await world.outcome('nobody', command, input), command).toMatch(/^not_permitted/);
  });

  test('makes none for somebody else beside its own', async () => {
    const commands = [own(), mandateOf('bob')].map((input) => ({ command: 'mandate.create', input }));
    expect(await world.outcome('nobody', 'transaction.write', { commands })).toMatch(/^not_permitted/);
    expect(await world.outcome('nobody', 'transaction.write', { commands: commands.slice(0, 1) })).toBe('ok');
  });

  test('waits for nobody because of what a mandate gives, and where the command itself is to be approved', async () => {
    const where = (approvalFor: string) => worldWhere(approvalFor).outcome('nobody', 'mandate.create', own());
    expect([await where('effect:rights'), await where('mandate.create')]).toEqual([
      'ok',
      'approval_required',
    ]);
  });
});

describe('an operator', () => {
  test('makes mandates for others in its own tenant', async () => {
    expect(await world.outcome('ann', 'mandate.create', mandateOf('bob'))).toBe('ok');
    expect(await world.outcome('ann', 'mandate.list', { tenant: 'tenant:acme' })).toBe('ok');
    expect(await world.outcome('ann', 'mandate.end', { id: 'of-bob' })).toBe('ok');
    const other = mandateOf('bob', { id: 'x' });
    expect(await world.outcome('gus', 'mandate.create', other)).toBe('not_permitted scopes');
    expect(await world.outcome('ann', 'mandate.end-all', { subject: 'user:bob' })).toBe('not_permitted');
    expect(await world.outcome('olga', 'mandate.end-all', { subject: 'user:bob' })).toBe('ok');
  });

  test('gives nobody’s rights to itself, whatever its own are', async () => {
    await world.run('mandate.create', mandateOf('bob'));
    const self = mandateOf('bob', { id: 'self', actor: 'user:ann' });
    expect(await world.outcome('ann', 'mandate.create', self)).toBe('not_permitted actor');
    const others = { ...self, actor: 'user:pam' };
    expect(await world.outcome('pam', 'mandate.create', others)).toBe('not_permitted actor');
    const commands = [{ command: 'mandate.create', input: self }];
    expect(await world.outcome('ann', 'transaction.write', { commands })).toMatch(/^not_permitted/);
  });

  test('uses those of its own tenant, and learns nothing of others', async () => {
    const budget = { uses: 5 };
    await world.run('grant.create', { user: 'gus', scope: 'tenant:acme', roles: ['payer'] });
    await world.run('mandate.create', mandateOf('gus', { budget }));
    const asked = { mandate: 'of-gus', subject: 'user:gus', actor: 'agent:bot', ...PAYING };
    const use = (mandate: string, scope: string) =>
      world.as('gus', 'mandate.use', { ...asked, mandate, scope });
    const unknown = await use('none', 'tenant:globex');
    expect(unknown).toMatchObject({ error: { code: 'not_permitted', field: 'mandate' } });
    expect(await use('of-gus', 'tenant:globex')).toEqual(unknown);
    expect(await use('of-gus', 'tenant:acme')).toMatchObject({ error: { code: 'not_permitted' } });
    expect(await world.as('ann', 'mandate.use', asked)).toMatchObject({ result: { allowed: true } });
  });

  test('gives no rights of operators to an actor of others, but with the right everywhere', async () => {
    const of = mandateOf('bob', { permissions: ['provisioning:create:user'] });
    expect(await world.outcome('ann', 'mandate.create', of)).toBe('not_permitted');
    expect(await world.outcome('zoe', 'mandate.create', of)).toBe('ok');
  });

  test('waits for another one where what gives rights is to be approved', async () => {
    const { outcome } = worldWhere('effect:rights');
    expect(await outcome('ann', 'mandate.create', mandateOf('bob'))).toBe('approval_required');
  });
});

describe('who acts for an operator', () => {
  /** Commands by the bot, which acts for an operator by a mandate. */
  const acting = (operator: string, mandate?: string, approvalFor: readonly string[] = []) => {
    const identify = async (): Promise<Operator> => ({
      subject: `user:${operator}`,
      actor: { subject: 'agent:bot', mandate },
    });
    const provision = provisioningBy({ identify }, approvalFor);
    return async (command: string, input: Input) => {
      const answer = await provision({ command, input });
      return answer.ok ? 'ok' : answer.error.code;
    };
  };
  const USER: Input = { tenant: 'tenant:acme' };
  const creating = (more: Input = {}) =>
    mandateOf('ann', { permissions: ['provisioning:create:user'], ...more });

  test('may what the operator, the actor and the mandate may', async () => {
    await world.run('mandate.create', creating());
    await world.run('mandate.create', creating({ id: 'of-pay', permissions: ['invoices:pay:invoice'] }));
    expect(await acting('ann', 'mandate:of-ann')('user.create', USER)).toBe('ok');
    expect(await acting('ann', 'mandate:of-pay')('user.create', USER)).toBe('not_permitted');
    expect(await acting('nobody')('user.create', USER)).toBe('not_permitted');
    await world.run('grant.delete', { user: 'agent:bot', scope: 'tenant:acme' });
    expect(await acting('ann', 'mandate:of-ann')('user.create', USER)).toBe('not_permitted');
  });

  test('is no administrator, though the operator is one', async () => {
    expect(await acting('pam')('user.create', USER)).toBe('ok');
    expect(await acting('pam')('user.create', { tenant: 'tenant:globex' })).toBe('not_permitted');
  });

  test('never makes, lists, ends or uses a mandate, nor decides on a request', async () => {
    await world.run('mandate.create', creating());
    const names = COMMANDS.map((name) => `provisioning:${name.slice(8)}:mandate`);
    const permissions = [...names, 'provisioning:list:approval'];
    await world.run('mandate.create', creating({ id: 'all', permissions }));
    const send = acting('ann', 'mandate:all');
    const use = { mandate: 'of-ann', subject: 'user:ann', actor: 'agent:bot', ...PAYING };
    const wider = { command: 'mandate.create', input: mandateOf('ann', { id: 'w' }) };
    for (const [command, input] of [
      ['mandate.create', mandateOf('ann', { id: 'wider' })],
      ['mandate.list', { subject: 'user:ann' }],
      ['mandate.read', { id: 'of-ann' }],
      ['mandate.end', { id: 'of-ann' }],
      ['mandate.end-all', { subject: 'user:ann' }],
      ['mandate.use', use],
      ['approval.list', {}],
      ['transaction.write', { commands: [wider] }],
    ] as const)
      expect([command, await send(command, input)]).toEqual([command, 'not_permitted']);
  });

  test('shows the token of the mandate, and no other one counts', async () => {
    const permissions = ['user.create', 'mandate.create', 'mandate.end'].map((name) => {
      const [entity, verb] = name.split('.');
      return `provisioning:${verb}:${entity}`;
    });
    const wanted = creating({ id: undefined, token: true, permissions });
    const made = await world.as('zoe', 'mandate.create', wanted);
    const { id, token } = (made.ok ? made.result : {}) as { id: string; token: string };
    const by = (shown: string, command: string, input: Input, more: Input = {}) =>
      world.provision({ command, input, token: shown, ...more });
    expect(await by(token, 'user.create', USER)).toMatchObject({ ok: true });
    for (const [command, input] of [
      ['mandate.create', mandateOf('ann', { id: undefined })],
      ['mandate.end', { id }],
      ['user.create', { tenant: 'tenant:globex' }],
    ] as const)
      expect(await by(token, command, input), command).toMatchObject({ error: { code: 'not_permitted' } });
    const named = await by(token, 'user.create', USER, { actor: 'user:ann' });
    expect(outcomeOf(named)).toBe('not_permitted actor');
    const secret = token.slice(-43);
    const other = secret.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const forged of [
      formatMandateToken('agent:bot', 'user:pam', id, secret),
      formatMandateToken('agent:stray', 'user:ann', id, secret),
      formatMandateToken('agent:bot', 'user:ann', id, other),
    ])
      expect(outcomeOf(await by(forged, 'user.create', USER))).toBe('not_permitted token');
    await world.run('mandate.end', { id });
    expect(await by(token, 'user.create', USER)).toMatchObject({ error: { code: 'not_permitted' } });
  });

  test.each<[string, string, Input]>([
    ['token.create', 'operations', { user: 'zoe', tokenType: 'api' }],
    ['scim-credential.create', 'acme', { connection: 'staff' }],
  ])('makes no credential, which would outlive the mandate: %s', async (command, tenant, input) => {
    await world.register(command);
    await world.run('scim-connection.create', { id: 'staff', scope: 'tenant:acme', name: 'staff' });
    const scope = `tenant:${tenant}`;
    await world.run('grant.create', {
      user: 'agent:bot',
      scope: 'tenant:operations',
      roles: ['operator'],
    });
    const permissions = [`provisioning:create:${command.split('.')[0]}`];
    await world.run('mandate.create', mandateOf('zoe', { scopes: [scope], permissions }));
    expect(await world.outcome('zoe', command, input)).toBe('ok');
    expect(await acting('zoe', 'mandate:of-zoe')(command, input)).toBe('not_permitted');
  });

  test('asks for no approval', async () => {
    await world.run('mandate.create', creating());
    expect(await acting('ann', 'mandate:of-ann', ['user.*'])('user.create', USER)).toBe('not_permitted');
  });
});
