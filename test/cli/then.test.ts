import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { decisionLine } from '../provisioning/evidence/lines.ts';
import { createMemoryWorld } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** check, explain and lists of the table as it was. */
const MANIFEST = `
pages: { roster: }
scopes: { North: { id: north, type: tenant } }
roles: { teacher: { id: teacher, allow: [roster] } }
groups: { Staff: { id: staff, scope: North, roles: [teacher] } }
users:
  Ann: { id: ann, displayName: Ann, groups: [Staff] }
  Ben: { id: ben, displayName: Ben, groups: [Staff] }
`;

async function newWorld() {
  const world = createMemoryWorld();
  await world.apply(MANIFEST);
  world.clock.advance(3_600_000);
  await world.run('membership.delete', { user: 'ann', group: 'staff' });
  await world.run('user.delete', { id: 'ben' });
  world.clock.advance(3_600_000);
  const ask = (...args: readonly string[]) =>
    gatehouse(args, { env: { TABLE_NAME: world.table }, now: world.clock.now });
  return { ...world, ask };
}
const THEN = '2026-01-15T12:30Z';

test('a check and an explanation are of the table of then', async () => {
  const { ask } = await newWorld();
  expect(await ask('check', 'user:ann', 'roster', 'North')).toMatchObject({ code: 1 });
  expect(await ask('check', 'user:ann', 'roster', 'North', '--at', THEN)).toMatchObject({
    code: 0,
    out: 'ALLOWED (role)\nscope  tenant:north  North\n',
  });
  const { code, out } = await ask('explain', 'user:ann', 'roster', 'tenant:north', '--at', THEN);
  expect([code, out]).toEqual([0, expect.stringContaining('group Staff (group:staff)')]);
});

test('lists name who was there, somebody who is gone by the reference alone', async () => {
  const { ask } = await newWorld();
  expect((await ask('who', 'roster', 'North')).out).toBe('none\n');
  expect((await ask('who', 'roster', 'North', '--at', THEN)).out).toBe('user:ann  Ann\nuser:ben\n');
  expect((await ask('where', 'user:ben', 'roster', '--at', THEN)).out).toBe('tenant:north  North\n');
  expect((await ask('menu', 'user:ben', 'North', '--at', THEN)).out).toBe('roster\n');
  expect((await ask('menu', 'user:ben', 'North')).error).toContain('user:ben does not exist');
});

test('what is not known is no answer, and ends with 1', async () => {
  const { ask } = await newWorld();
  const soon = '2026-01-15T13:00:05Z';
  expect(await ask('check', 'user:ann', 'roster', 'North', '--at', soon)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^UNKNOWN\n {2}changed within 12 s of the instant, before or after it: Membership ann/,
    ),
  });
  const { code, out } = await ask('who', 'roster', 'North', '--at', soon, '--json');
  expect([code, JSON.parse(out)]).toEqual([1, { items: [], unknown: [expect.any(String)] }]);
});

test('audit records from outside the table are taken beside its own', async () => {
  const world = await newWorld();
  const lines = world
    .items()
    .filter(({ PK }) => PK.startsWith('AUDIT#'))
    .map((item) => JSON.stringify({ eventName: 'INSERT', dynamodb: { NewImage: marshall(item) } }));
  for (const { PK, SK, action } of world.items())
    if (action === 'membership.delete') await world.writer.send([{ kind: 'delete', key: { PK, SK } }]);
  const asked = ['check', 'user:ann', 'roster', 'North', '--at', THEN];
  expect((await world.ask(...asked)).out).toMatch(
    /^UNKNOWN\n {2}audit records are missing: 1 of tenant:north/,
  );
  const one = fileOf(lines.slice(0, 2).join('\n'), 'jsonl');
  const other = fileOf(lines.slice(2).join('\n'), 'jsonl');
  expect((await world.ask(...asked, '--records', one)).out).toMatch(/^UNKNOWN/);
  expect((await world.ask(...asked, '--records', one, '--records', other)).out).toMatch(/^ALLOWED/);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-records-'));
  copyFileSync(other, join(folder, 'a.jsonl'));
  expect((await world.ask(...asked, '--records', folder)).out).toMatch(/^ALLOWED/);
});

/** Somebody asked for the roster at North. */
const line = (sequence: number, decision: boolean, more: object = {}) =>
  decisionLine({
    sequence,
    decision,
    timestamp: '2026-01-15T12:31:00.000Z',
    action: { name: 'roster' },
    resource: { type: 'tenant', id: 'north' },
    ...more,
  });

test('logged decisions of around then are compared', async () => {
  const { ask } = await newWorld();
  const log = fileOf([line(1, true), line(2, false)].join('\n'), 'jsonl');
  const { out } = await ask('check', 'user:ann', 'roster', 'tenant:north', '--at', THEN, '--verify', log);
  expect(out).toBe(
    `ALLOWED (role)
logged around then: 1 decision agree, 1 differ, 0 cannot be decided again
  2026-01-15T12:31:00.000Z  user:ann roster tenant:north: logged as refused
`,
  );
});

test('who acted then is decided by the mandate of then', async () => {
  const world = createMemoryWorld();
  await world.apply(`${MANIFEST}subjects:
  Bot: { id: bot, type: agent, assignments: [{ role: teacher, scope: North }] }
`);
  world.clock.advance(600_000);
  const mandate = {
    subject: 'user:ann',
    actor: 'agent:bot',
    permissions: ['roster'],
    scopes: ['tenant:north'],
    purpose: 'plans',
  };
  await world.run('mandate.create', { ...mandate, id: 'plan' });
  await world.run('mandate.create', { ...mandate, id: 'counted', budget: { uses: 1 } });
  world.clock.advance(3_000_000);
  await world.run('mandate.end', { id: 'plan' });
  world.clock.advance(3_600_000);
  const ask = (...args: readonly string[]) =>
    gatehouse([...args, '--actor', 'agent:bot', '--mandate', 'plan'], {
      env: { TABLE_NAME: world.table },
      now: world.clock.now,
    });
  expect((await ask('check', 'user:ann', 'roster', 'North')).out).toContain('REFUSED (mandate_inactive)');
  expect((await ask('where', 'user:ann', 'roster')).out).toBe('none\n');
  expect((await ask('where', 'user:ann', 'roster', '--at', THEN)).out).toBe('tenant:north  North\n');
  // Before there was one, a list would be empty for that alone.
  expect(await ask('where', 'user:ann', 'roster', '--at', '2026-01-15T12:05Z')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--mandate plan does not exist'),
  });
  const by = (sequence: number, mandate: string, decision = true) =>
    line(sequence, decision, { actor: { type: 'agent', id: 'bot' }, mandate: `mandate:${mandate}` });
  const log = fileOf([by(1, 'plan'), by(2, 'plan', false), by(3, 'counted')].join('\n'), 'jsonl');
  const { out } = await ask('check', 'user:ann', 'roster', 'tenant:north', '--at', THEN, '--verify', log);
  expect(out).toBe(
    `ALLOWED (role)
logged around then: 1 decision agree, 1 differ, 1 cannot be decided again (a budget: 1)
  2026-01-15T12:31:00.000Z  agent:bot (mandate:plan) for user:ann roster tenant:north: logged as refused
`,
  );
});
