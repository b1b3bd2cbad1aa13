import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { createProvisioning, type ProvisioningOptions } from '../../provisioning/index.ts';
import { type ErrorCode, GatehouseError } from '../../table/errors.ts';
import { createLogged } from '../support/log.ts';
import { createLightWorld } from '../support/world.ts';

/** Each fault of provisioning is one line, so that an alarm can count it; what callers do wrong is none. */
const SECRET = 'ann@example.com';
const world = await createLightWorld();

function setUp(parts: Partial<ProvisioningOptions> = {}) {
  const { log, lines } = createLogged();
  return { lines, provision: createProvisioning({ ...world, newId: () => 'fresh-id', log, ...parts }) };
}
const failing = (error: unknown): Partial<ProvisioningOptions> => ({
  writer: { send: () => Promise.reject(error) },
});
const event = { command: 'user.create', input: { email: SECRET, passwordHash: SECRET }, actor: SECRET };

describe.each<ErrorCode>(['throttled', 'contended', 'transient', 'damaged_item', 'internal'])(
  '%s',
  (code) => {
    const cause = Object.assign(new Error(SECRET), { name: 'TimeoutError' });
    const fault = new GatehouseError(code, `it says ${SECRET}`, { cause });

    test('of a write is one line with the command, the operation and the codes, and no value', async () => {
      const { lines, provision } = setUp(failing(fault));
      const answer = await provision({ ...event, operationId: 'op-7' }, { requestId: 'invocation-1' });
      expect(answer).toMatchObject({ ok: false, error: { code } });
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toEqual({
        level: 'ERROR',
        message: 'command failed',
        timestamp: expect.any(String),
        service: 'test',
        requestId: 'invocation-1',
        command: 'user.create',
        operationId: 'op-7',
        code,
        causes: ['TimeoutError'],
      });
      expect(lines[0]).not.toContain(SECRET);
    });

    test('of a read or a dry run is one as well, under an id of its own', async () => {
      const get = () => Promise.reject(fault);
      const { lines, provision } = setUp({ ...failing(fault), reader: { ...world.reader, get } });
      await provision({ command: 'user.read', input: { email: SECRET } });
      await provision({ ...event, dryRun: true });
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ code, command: 'user.read', operationId: 'fresh-id' }),
        expect.objectContaining({ code, command: 'user.create', operationId: 'fresh-id' }),
      ]);
    });
  },
);

test.each([
  [new TypeError(SECRET), 'TypeError'],
  [{ code: SECRET }, 'unknown'],
  [undefined, 'unknown'],
])('what was never expected is logged by its name only: %o', async (thrown, code) => {
  const { lines, provision } = setUp(failing(thrown));
  const error = { code: 'internal', message: 'the command failed', retryable: false };
  expect(await provision(event)).toEqual({ ok: false, error });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ code, command: 'user.create' }]);
  expect(lines[0]).not.toContain(SECRET);
});

test('a fault in the middle of several steps is logged by its own code', async () => {
  const [tenant, role] = [
    (await world.run('tenant.create', { name: 'Several steps' })).id,
    (await world.run('role.create', { name: 'role', scope: 'tenant' })).id,
  ];
  for (let n = 0; n < 60; n++) {
    const user = (await world.run('user.create', {})).id;
    await world.run('assignment.create', { user, role, scope: `tenant:${tenant}` });
  }
  let sent = 0;
  const send: ProvisioningOptions['writer']['send'] = (actions) =>
    ++sent < 3 ? world.writer.send(actions) : Promise.reject(new GatehouseError('throttled', 'too much'));
  const { lines, provision } = setUp({ writer: { send }, newId: () => ulid() });
  expect(await provision({ command: 'role.delete', input: { id: role } })).toMatchObject({ ok: false });
  expect(lines.map((line) => JSON.parse(line).code)).toEqual(['throttled']);
});

test.each<[string, unknown]>([
  ['an event that is none', undefined],
  ['an unknown command', { command: 'planet.create', input: {} }],
  ['bad input', { command: 'user.create', input: { email: 'nowhere' } }],
  ['what is not there', { command: 'group.read', input: { id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' } }],
  ['what works', { command: 'user.list', input: {} }],
])('%s is no fault', async (_, given) => {
  const { lines, provision } = setUp();
  await provision(given);
  expect(lines).toEqual([]);
});

test.each<ErrorCode>(['stale', 'conflict', 'limit_exceeded', 'unfinished', 'not_found'])(
  'nor is %s: another one’s change, or a matter of the caller',
  async (code) => {
    const { lines, provision } = setUp(failing(new GatehouseError(code, 'no')));
    expect(await provision(event)).toMatchObject({ error: { code } });
    expect(lines).toEqual([]);
  },
);
