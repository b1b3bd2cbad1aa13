import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeKey } from '../../../table/keys.ts';
import { findingsOn } from '../findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from '../support.ts';

/** Identity providers, operators and two tenants at once, on the engine: conditions decide, and the table stays whole. */
const ISSUER = 'https://login.example';
let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  for (const id of ['acme', 'other']) {
    await world.run('tenant.create', { id, name: id });
    await world.run('domain.create', { name: `${id}.example`, tenant: `tenant:${id}` });
    await world.run('scim-connection.create', { id, scope: `tenant:${id}`, name: id, issuer: ISSUER });
  }
});
afterEach(async () => {
  expect(await findingsOn(world)).toEqual([]);
});

const send = (command: string, input: Input) => world.provision({ command, input });
/** Sends until it is no more in the way of others. */
async function sent(command: string, input: Input) {
  for (;;) {
    const answer = await send(command, input);
    if (answer.ok || !answer.error.retryable) return answer;
  }
}

test('two tenants whose providers share an issuer: one makes the user, and the other is linked', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => n).flatMap((n) =>
      ['acme', 'other'].map((connection) =>
        sent('scim-user.create', { connection, userName: `u${n}`, sub: `s${n}` }),
      ),
    ),
  );
  const made = new Map<unknown, unknown[]>();
  for (const answer of answers) {
    if (!answer.ok) throw new Error(answer.error.message);
    made.set(answer.result.user, [...(made.get(answer.result.user) ?? []), answer.result.made]);
  }
  expect([...made.values()].map((each) => each.sort())).toEqual(
    Array.from({ length: 8 }, () => [false, true]),
  );
});

test('one person whom two syncs send at once is linked once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      sent('scim-user.create', { connection: 'acme', userName: `ann${n}`, email: 'ann@acme.example' }),
    ),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await world.listed('scim-user.list', { connection: 'acme' })).toHaveLength(1);
});

test('an operator and a connection that open and close one user: both states decide', async () => {
  const { user } = await world.run('scim-user.create', { connection: 'acme', userName: 'ann' });
  for (let round = 0; round < 4; round++) {
    const status = round % 2 === 0 ? 'disabled' : 'active';
    const active = round >= 2;
    await Promise.all([
      sent('user.update', { id: user, status }),
      sent('scim-user.update', { connection: 'acme', user, active }),
      sent('user.update', { id: user, department: `d${round}` }),
    ]);
    const decided = await world.reader.get({ PK: `USER#${user}`, SK: 'DECISION' });
    expect(decided?.status === 'active').toBe(status === 'active' && active);
  }
});

test('an administrator is never ended by a connection that sends at once', async () => {
  for (let round = 0; round < 5; round++) {
    const login = { userName: `a${round}`, email: `a${round}@acme.example` };
    const { user } = await world.run('scim-user.create', { connection: 'acme', ...login });
    const [flag] = await Promise.all([
      sent('admin.create', { user }),
      sent('scim-user.update', { connection: 'acme', user, email: `b${round}@acme.example` }),
    ]);
    expect(flag.ok).toBe(true);
    const email = (await world.reader.get(nodeKey({ type: 'user', id: String(user) })))?.email;
    await sent('scim-user.update', {
      connection: 'acme',
      user,
      email: `c${round}@acme.example`,
      active: false,
    });
    await sent('scim-user.delete', { connection: 'acme', user });
    expect(await world.reader.get(nodeKey({ type: 'user', id: String(user) }))).toMatchObject({
      email,
      sourceActive: true,
    });
  }
});

test('a domain that goes over to another tenant: no user comes by it afterwards', async () => {
  const moved = (async () => {
    await sent('domain.delete', { name: 'acme.example' });
    return sent('domain.create', { name: 'acme.example', tenant: 'tenant:other' });
  })();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      sent('scim-user.create', { connection: 'acme', userName: `u${n}`, email: `u${n}@acme.example` }),
    ),
  );
  expect((await moved).ok).toBe(true);
  for (const answer of answers)
    if (!answer.ok) expect(answer.error).toMatchObject({ code: 'invalid', field: 'email' });
  const late = await sent('scim-user.create', { connection: 'acme', userName: 'x', email: 'x@acme.example' });
  expect(late).toMatchObject({ ok: false, error: { code: 'invalid', field: 'email' } });
});

test('a user who is deleted while the connection changes and ends it leaves nothing', async () => {
  for (let round = 0; round < 4; round++) {
    const said = { connection: 'acme', userName: `u${round}`, externalId: `e${round}` };
    const { user } = await world.run('scim-user.create', said);
    const [gone] = await Promise.all([
      sent('user.delete', { id: user }),
      sent('scim-user.update', { connection: 'acme', user, userName: `v${round}` }),
      sent('scim-user.delete', { connection: 'acme', user }),
    ]);
    expect(gone.ok).toBe(true);
    expect((await sent('scim-user.create', said)).ok).toBe(true);
  }
});
