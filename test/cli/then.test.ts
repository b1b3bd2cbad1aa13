import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import { createMemoryWorld } from '../support/world.ts';
import { fileOf, gatehouse } from './support.ts';

/** What is asked of the table of then, with records from elsewhere; all else: transcripts/then.txt. */
test('audit records from outside the table are taken beside its own', async () => {
  const world = createMemoryWorld();
  await world.apply(`
pages: { roster: }
scopes: { North: { id: north, type: tenant } }
roles: { teacher: { id: teacher, allow: [roster] } }
groups: { Staff: { id: staff, scope: North, roles: [teacher] } }
users: { Ann: { id: ann, displayName: Ann, groups: [Staff] } }
`);
  world.clock.advance(3_600_000);
  await world.run('membership.delete', { user: 'ann', group: 'staff' });
  world.clock.advance(3_600_000);
  const ask = (...args: readonly string[]) =>
    gatehouse(args, { env: { TABLE_NAME: world.table }, now: world.clock.now });
  const lines = world
    .items()
    .filter(({ PK }) => PK.startsWith('AUDIT#'))
    .map((item) => JSON.stringify({ eventName: 'INSERT', dynamodb: { NewImage: marshall(item) } }));
  for (const { PK, SK, action } of world.items())
    if (action === 'membership.delete') await world.writer.send([{ kind: 'delete', key: { PK, SK } }]);
  const asked = ['check', 'user:ann', 'roster', 'North', '--at', '2026-01-15T12:30Z'];
  expect((await ask(...asked)).out).toMatch(/^UNKNOWN\n {2}audit records are missing: 1 of tenant:north/);
  const one = fileOf(lines.slice(0, 2).join('\n'), 'jsonl');
  const other = fileOf(lines.slice(2).join('\n'), 'jsonl');
  expect((await ask(...asked, '--records', one)).out).toMatch(/^UNKNOWN/);
  expect((await ask(...asked, '--records', one, '--records', other)).out).toMatch(/^ALLOWED/);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-records-'));
  copyFileSync(other, join(folder, 'a.jsonl'));
  expect((await ask(...asked, '--records', folder)).out).toMatch(/^ALLOWED/);
});
