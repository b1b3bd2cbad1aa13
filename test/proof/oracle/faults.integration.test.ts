import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, test } from 'vitest';
import { parseRef } from '../../../table/identifiers.ts';
import { globalKey, type Key, tenantEffectsKey } from '../../../table/keys.ts';
import { FAULTS } from './fault-kinds.ts';
import { newFaultTally, playFaults } from './faults.ts';
import { START } from './generate.ts';
import type { Operation } from './operations.ts';
import * as does from './operations.ts';
import { createStage } from './stage.ts';

/**
 * While DynamoDB fails, a check is answered as the oracle does or fails with a code that names the cause:
 * `npm run proof -- oracle --faults 100000` does the same for longer.
 */
const stage = createStage(inject('endpoint'));

const CHECKS = 600;

test('no fault lets anybody in, none hangs, and none is remembered', async () => {
  const tally = newFaultTally();
  await playFaults(stage, 20_260_115, CHECKS, tally);
  const { checks, besides, bridged, late } = tally;
  console.log(JSON.stringify({ checks, besides, bridged, late }));
  expect(tally.violations).toEqual([]);
  expect(checks).toBeGreaterThanOrEqual(CHECKS);
  for (const [name, { code, isHidden }] of Object.entries(FAULTS)) {
    if (isHidden) continue;
    const outcome = `${name}: ${code === undefined ? 'answered' : `fault ${code}`}`;
    expect(tally.outcomes.get(outcome), outcome).toBeGreaterThan(1);
  }
  // Much of what is asserted above is void without these.
  expect(bridged).toBeGreaterThan(5);
  expect(tally.states.size).toBe(6);
});

/** An item that was deleted by hand refuses whoever needs it, also where it held nothing but what refuses. */
describe('a decision item that is missing', () => {
  const id = (kind: string): string => `01J8Z0E2Z8D2A3J7A7Y2H9${kind}000`;
  const [TENANT, EVE, MODULE, READ] = [`tenant:${id('P')}`, `user:${id('E')}`, 'alarms', 'alarms:read:door'];
  const [OWN, SHARED] = [id('R'), id('S')];
  const furnished = [
    does.createModule(MODULE, false),
    does.register(READ),
    does.createScope(TENANT, { combination: 'deny-overrides' }),
    does.createUser(EVE, 'active', null),
    does.createRole(OWN, TENANT),
    does.createRole(SHARED, 'tenant'),
  ];

  /** What Eve is told before and after an item is deleted behind provisioning's back. */
  async function without(key: Key, operations: readonly Operation[]): Promise<readonly string[]> {
    const open = await stage.open();
    try {
      for (const { command, input } of [...furnished, ...operations]) {
        expect(await open.carryOut(command, input)).toMatchObject({ ok: true });
      }
      const answers: string[] = [];
      for (const isThere of [true, false]) {
        if (!isThere) {
          const { PK, SK } = key;
          await open.client.send(new DeleteCommand({ TableName: open.table, Key: { PK, SK } }));
        }
        for (const consistency of ['cached', 'strong'] as const) {
          const answer = open.newEngine().check(EVE, READ, TENANT, { at: START, consistency });
          answers.push((await Promise.resolve(answer).catch(({ code }) => ({ reason: code }))).reason);
        }
      }
      return answers;
    } finally {
      await open.close();
    }
  }

  test('of what holds everywhere: what is sold stays sold', async () => {
    const answers = await without(globalKey(), [
      does.addEffect(OWN, READ, 'ALLOW'),
      does.grant(EVE, TENANT, [OWN]),
      does.sellModule(MODULE, true),
    ]);
    expect(answers.slice(0, 2)).toEqual(['not_subscribed', 'not_subscribed']);
    expect(answers.slice(2)).not.toContain('role');
  });

  test("of the effects of a tenant's own roles: its DENY stays", async () => {
    const owner = parseRef(TENANT, 'scope');
    const answers = await without(tenantEffectsKey(owner, { kind: 'permission', text: READ }), [
      does.addEffect(OWN, READ, 'DENY'),
      does.addEffect(SHARED, READ, 'ALLOW'),
      does.grant(EVE, TENANT, [OWN, SHARED]),
    ]);
    expect(answers.slice(0, 2)).toEqual(['denied_by_role', 'denied_by_role']);
    expect(answers.slice(2)).not.toContain('role');
  });
});
