import { beforeEach, describe, expect, test } from 'vitest';
import { authorizationOf, type McpGuardOptions } from '../../../middleware/mcp/index.ts';
import { createMandates } from '../../../provisioning/index.ts';
import { GatehouseError } from '../../../table/errors.ts';
import { createInvoices, giveMandate, type Invoices, RULES, reasonIn, VERSIONS } from './invoices.ts';

/** An agent that acts for Ann calls tools: never more than she may, nor the agent, nor its mandate. */
let world: Invoices;
beforeEach(async () => {
  world = await createInvoices();
});

const mandateOf = (more: object = {}) => giveMandate(world, more);

const acting = (mandate: string | undefined, more: Partial<McpGuardOptions> = {}): McpGuardOptions => ({
  ...RULES,
  engine: world.newEngine(),
  caller: { subject: 'user:ann', actor: { subject: 'agent:bot', mandate } },
  now: world.clock.now,
  ...more,
});

describe.each(VERSIONS)('%s', (_, connect) => {
  const calling = async (options: McpGuardOptions) => {
    const { ask, ran } = await connect(options);
    const call = async (name: string, given: object) =>
      reasonIn(await ask('tools/call', { name, arguments: given })) ?? 'allowed';
    return { ask, ran, call };
  };

  test('what its mandate covers runs, and says who acts', async () => {
    const { call, ran } = await calling(acting(await mandateOf()));
    expect(await call('read', { place: 'north' })).toBe('allowed');
    expect(authorizationOf(ran[0]?.extra ?? {})).toMatchObject({
      subject: 'user:ann',
      actor: { subject: 'agent:bot' },
    });
  });

  test('nothing runs without a mandate, or beyond it', async () => {
    const unmandated = await calling(acting(undefined));
    expect(await unmandated.call('read', { place: 'north' })).toBe('mandate_required');
    const elsewhere = await calling(acting(await mandateOf({ scopes: ['location:south'] })));
    expect(await elsewhere.call('read', { place: 'north' })).toBe('mandate_scope');
    for (const { ran } of [unmandated, elsewhere]) expect(ran).toEqual([]);
  });

  test('lists hold what the agent may use', async () => {
    const listed = async (options: McpGuardOptions) => {
      const { ask } = await calling(options);
      return (await ask('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    };
    expect(await listed(acting(await mandateOf()))).toContain('totals');
    expect(await listed(acting(await mandateOf({ permissions: ['invoices:pay:invoice'] })))).not.toContain(
      'totals',
    );
    // A scope that an argument names is one where the agent, too, may do it.
    const listScopes = async (_: string, __: string, { actor }: { readonly actor?: unknown } = {}) => ({
      items: actor === undefined ? ['location:north'] : [],
    });
    expect(await listed(acting(await mandateOf(), { lists: { listScopes } }))).toEqual(['totals']);
  });

  test('a budget is counted before the handler runs, to its end', async () => {
    const mandate = await mandateOf({ budget: { sum: 500, of: 'amount' } });
    const uncounted = await calling(acting(mandate));
    expect(await uncounted.call('pay', { place: 'north', amount: 300 })).toBe('budget_uncounted');
    const { use } = createMandates(world);
    const { call, ran } = await calling(acting(mandate, { use }));
    expect(await call('pay', { place: 'north', amount: 300 })).toBe('allowed');
    expect(await call('pay', { place: 'north', amount: 300 })).toBe('budget_spent');
    expect(await call('pay', { place: 'north', amount: 200 })).toBe('allowed');
    expect(await call('pay', { place: 'north', amount: 1 })).toBe('budget_spent');
    expect(await call('pay', { place: 'north', amount: 1.5 })).not.toBe('allowed');
    expect(await call('pay', { place: 'north', amount: -1 })).not.toBe('allowed');
    expect(await call('pay', { place: 'south', amount: 0 })).toBe('no_grant');
    expect(ran.map(({ args }) => args.amount)).toEqual([300, 200]);
    // Why it is allowed is what allows it to Ann, as without a budget.
    expect(authorizationOf(ran[0]?.extra ?? {})).toMatchObject({
      reason: 'role',
      tenant: 'tenant:acme',
      roles: [expect.any(String)],
    });
    expect(uncounted.ran).toEqual([]);
  });

  test('an amount that is none is refused for that, whatever it is', async () => {
    const mandate = await mandateOf({ budget: { sum: 500, of: 'amount' } });
    const { use } = createMandates(world);
    const faults: unknown[] = [];
    const read = { ...RULES.tools.read, action: ['amount'] };
    const onFault = (error: unknown) => faults.push(error);
    const { call, ran } = await calling(acting(mandate, { use, onFault, tools: { read } }));
    for (const amount of [
      ...[undefined, null, true, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
      ...['5', '5'.repeat(40_000), [5], { valueOf: 5 }],
    ])
      expect(await call('read', { place: 'north', amount }), String(amount).slice(0, 9)).toBe(
        'budget_amount',
      );
    expect([ran, faults]).toEqual([[], []]);
    expect(await call('read', { place: 'north', amount: 500 })).toBe('allowed');
  });

  test('a fault while it is counted is resolved by the same operation', async () => {
    const mandate = await mandateOf({ budget: { uses: 1 } });
    const operations: string[] = [];
    const mandates = createMandates(world);
    const use: McpGuardOptions['use'] = async (asked) => {
      operations.push(asked.operationId);
      const receipt = await mandates.use(asked);
      if (operations.length === 1) throw new GatehouseError('transient', 'the answer was lost');
      return receipt;
    };
    const { call, ran } = await calling(acting(mandate, { use }));
    expect(await call('read', { place: 'north' })).toBe('allowed');
    expect(new Set(operations).size).toBe(1);
    expect(await call('read', { place: 'north' })).toBe('budget_spent');
    expect(ran).toHaveLength(1);
    const failing = () => Promise.reject(new GatehouseError('invalid', 'no'));
    const broken = await calling(acting(mandate, { use: failing, onFault: () => undefined }));
    expect(await broken.call('read', { place: 'north' })).toBe('unavailable');
    expect(broken.ran).toEqual([]);
  });
});
