import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCollection, gapsOf, readLine, replay, type Sent } from '../../provisioning/replay/index.ts';
import { verify } from '../../provisioning/verify/index.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { commandsOf } from '../support/world.ts';
import { createDrill } from './drill.ts';

/**
 * The restore of docs/runbooks/restore.md with 10,000 users and 500 revocations after the restore point. On the
 * memory table, because the copy alone is more than 100,000 items; replay.integration.test.ts does it small on the engine.
 */
test('10,000 users, 500 revocations: none of the revoked is allowed afterwards, and verify is clean', async () => {
  const drill = await createDrill({ users: 10_000, revocations: 500 }, async (items) =>
    createMemoryTable({ items }),
  );
  const { clock } = drill.world;
  expect((await drill.allowed()).revoked).toHaveLength(500);
  const begun = performance.now();
  const collection = createCollection(Date.parse(drill.since));
  for (const text of drill.outside) collection.add(readLine(JSON.parse(text)) ?? { kind: 'other' });
  const newSecret = () => randomBytes(32).toString('base64url');
  const { provision } = commandsOf({ ...drill.copy, clock, newSecret });
  const send = ({ command, input }: Sent) => provision({ command, input });
  expect(await gapsOf(collection, drill.copy.reader)).toEqual([]);
  const result = await replay(collection, {
    reader: drill.copy.reader,
    read: async (sent) => {
      const answer = await send(sent);
      return answer.ok ? answer.result : undefined;
    },
    write: async (sent) => {
      const answer = await send(sent);
      if (answer.ok) return 'done';
      return answer.error.code === 'not_found' ? 'gone' : { message: answer.error.message };
    },
  });
  const took = performance.now() - begun;
  expect(result).toMatchObject({ byHand: [], refused: [] });
  expect(await drill.allowed()).toEqual({ revoked: [], others: 9_500 });
  const { open } = await verify({ reader: drill.copy.reader, clock, graceMs: 0 });
  expect(open).toEqual([]);
  process.stdout.write(
    `replayed ${result.replayed.length} commands in ${(took / 1_000).toFixed(1)} s; ${result.lost.length} were given since\n`,
  );
}, 1_200_000);
