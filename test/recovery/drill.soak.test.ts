import { expect, test } from 'vitest';
import { fileOf, gatehouse } from '../cli/support.ts';
import { createDrill } from './drill.ts';

/** The restore of docs/runbooks/restore.md with 10,000 users and 500 revocations after the restore point. */
test('10,000 users, 500 revocations: none of the revoked is allowed afterwards, and verify is clean', async () => {
  const drill = await createDrill({ users: 10_000, revocations: 500 });
  const context = { env: { TABLE_NAME: drill.copy.table }, now: drill.world.clock.now };
  expect((await drill.allowed()).revoked).toHaveLength(500);
  const file = fileOf(`${drill.outside.join('\n')}\n`, 'jsonl');
  const begun = performance.now();
  const { code, out } = await gatehouse(
    ['replay', '--records', file, '--since', drill.since, '--json'],
    context,
  );
  const took = performance.now() - begun;
  expect(JSON.parse(out)).toMatchObject({ byHand: [], refused: [], gaps: [], counted: true });
  expect(code).toBe(0);
  expect(await drill.allowed()).toEqual({ revoked: [], others: 9_500 });
  const verified = await gatehouse(['verify'], context);
  expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('no findings') });
  const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
  process.stdout.write(
    `replay: ${seconds(took)} s; verify: ${seconds(performance.now() - begun - took)} s with the decisions\n`,
  );
}, 1_200_000);
