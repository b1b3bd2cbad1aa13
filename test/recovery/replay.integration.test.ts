import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { verify } from '../../provisioning/verify/index.ts';
import { fileOf, gatehouse } from '../cli/support.ts';
import { createDrill, restored } from './drill.ts';

/**
 * The restore of docs/runbooks/restore.md, small: the table as it was is a new table, and what was revoked since
 * is revoked again from the records that were kept outside. The large one is drill.soak.test.ts.
 */
const drill = await createDrill({ users: 34, revocations: 24 }, restored);

const replayed = async (records: readonly string[], ...more: readonly string[]) => {
  const file = fileOf(`${records.join('\n')}\n`, 'jsonl');
  const { code, out, error } = await runOn(file, ...more);
  return { code, error, report: out === '' ? undefined : JSON.parse(out) };
};
const runOn = (file: string, ...more: readonly string[]) =>
  gatehouse(['replay', '--records', file, '--since', drill.since, '--json', ...more], {
    env: { TABLE_NAME: drill.copy.table },
    now: drill.world.clock.now,
  });

test('the restored table allows everything that was revoked', async () => {
  const { revoked, others } = await drill.allowed();
  expect(revoked).toHaveLength(24);
  expect(others).toBe(10);
});

test('a dry run says what it would send, and writes nothing', async () => {
  const { code, report } = await replayed(drill.outside, '--dry-run');
  expect(report.replayed.length).toBeGreaterThanOrEqual(24);
  expect(code).toBe(0);
  expect((await drill.allowed()).revoked).toHaveLength(24);
});

test('records are missing: it says of which log and how many, and replays the others', async () => {
  const index = drill.outside.findIndex((line) => line.includes('"membership.delete"'));
  const { code, report } = await replayed(drill.outside.toSpliced(index, 1));
  expect(code).toBe(1);
  expect(report.gaps).toEqual([{ log: drill.tenant, month: '2026-01', missing: 1 }]);
  expect((await drill.allowed()).revoked).toEqual([expect.stringMatching(/^deleted membership/)]);
});

test('all records, packed: nobody who was revoked is allowed, and the others still are', async () => {
  const file = fileOf('', 'jsonl.gz');
  writeFileSync(file, gzipSync(`${drill.outside.join('\n')}\n`));
  const { code, out } = await runOn(file);
  expect(JSON.parse(out)).toMatchObject({
    replayed: [{ command: 'membership.delete' }],
    byHand: [],
    refused: [],
    gaps: [],
    counted: true,
  });
  expect(code).toBe(0);
  expect(await drill.allowed()).toEqual({ revoked: [], others: 10 });
});

test('what was given since is not replayed, and is listed', async () => {
  const { code, report } = await replayed(drill.outside);
  expect({ code, replayed: report.replayed }).toEqual({ code: 0, replayed: [] });
  expect(report.lost).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^user:.*: user.create: it is not in the table$/),
      expect.stringMatching(/^grant:.*: 1 role\(s\) were added$/),
    ]),
  );
});

test('verify has no findings afterwards', async () => {
  const { open } = await verify({ reader: drill.copy.reader, clock: drill.world.clock, graceMs: 0 });
  expect(open).toEqual([]);
});

test('records as audit.list prints them are replayed too, but nobody can say whether some are missing', async () => {
  const { items } = await drill.world.run('audit.list', { tenant: drill.tenant });
  const { code, report } = await replayed((items as unknown[]).map((item) => JSON.stringify(item)));
  expect({ code, counted: report.counted, replayed: report.replayed }).toEqual({
    code: 1,
    counted: false,
    replayed: [],
  });
});

test('a line that is no record is an error with its place', async () => {
  const { code, report } = await replayed([...drill.outside.slice(0, 2), '{"a":1}']);
  expect(code).toBe(2);
  expect(JSON.stringify(report)).toContain('3: is neither a record of the stream nor an audit record');
});
