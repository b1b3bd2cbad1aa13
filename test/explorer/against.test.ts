import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readLog } from '../../explorer/page/views/what-if/log-file.ts';
import { createService } from '../../explorer/service/index.ts';
import { type Against, said } from '../../provisioning/index.ts';
import { decisionLine } from '../provisioning/evidence/lines.ts';
import { createMemoryWorld } from '../support/world.ts';

/** A decision log that is chosen in What if, beside the changes there. */
const NORTH = { type: 'location', id: 'north' };
const line = (sequence: number, user: string, more = {}) =>
  decisionLine({
    sequence,
    subject: { type: 'user', id: user },
    action: { name: 'roster' },
    resource: NORTH,
    ...more,
  });
const fileOf = (name: string, data: string | Uint8Array) => ({
  name,
  stream: () => new Blob([data]).stream(),
});

async function serviceOn(manifest: string) {
  const world = createMemoryWorld();
  await world.apply(manifest);
  world.settle();
  return createService({
    reader: world.reader,
    provisioning: world.provision,
    clock: world.clock,
    about: { place: 'a test', canWrite: false, isLive: false },
  });
}

const SCHOOL = `
pages: [roster]
scopes: { school: { id: school, type: tenant }, north: { id: north, type: location, parent: school } }
roles: { teacher: { id: teacher, owner: school, allow: [roster] } }
groups: { staff: { id: staff, scope: north, roles: [teacher] } }
users: { ann: { id: ann, groups: [staff] }, ben: { id: ben, groups: [staff] } }
`;
const NONE = { lines: 0, estimated: 0 };
const leave = (user: string) => ({ command: 'membership.delete', input: { user, group: 'staff' } });

test('is decided before and after them, also those of a transaction', async () => {
  const service = await serviceOn(SCHOOL);
  // A line that Firehose delivered twice counts once.
  const text = [line(1, 'ann'), line(2, 'ann', { rate: 0.5 }), line(2, 'ann', { rate: 0.5 }), line(3, 'ben')];
  const opened = await readLog(fileOf('week.jsonl.gz', gzipSync(text.join('\n'))));
  if (!('logged' in opened)) throw new Error(opened.problem);
  const ask = async (...changes: readonly object[]) => {
    const reply = await service('against', { changes, logged: opened.logged });
    expect(reply).toMatchObject({ ok: true });
    const { refused, decisions } = (reply as unknown as { readonly result: Against }).result;
    return [
      said(decisions),
      ...refused.rows.map(({ subject, decisions }) => `${subject}: ${said(decisions)}`),
    ];
  };
  const all = 'about 4 decisions (3 lines)';
  const ann = 'user:ann: about 3 decisions (2 lines)';
  expect(await ask(leave('ann'))).toEqual([all, ann]);
  expect(await ask(leave('ann'), leave('ben'))).toEqual([all, ann, 'user:ben: 1 decision']);
  const together = { command: 'transaction.write', input: { commands: [leave('ben')] } };
  expect(await ask(together)).toEqual([all, 'user:ben: 1 decision']);
  expect(await ask({ ...leave('nobody'), verb: 'remove' })).toEqual([all]);
});

test('whose change is refused has its error', async () => {
  const service = await serviceOn(SCHOOL);
  const logged = { questions: [], others: 0, ofInstants: NONE };
  const changes = [{ command: 'group.delete', input: { id: 'nothing' } }];
  expect(await service('against', { changes, logged })).toMatchObject({
    ok: false,
    error: { code: 'not_found', field: 'id' },
  });
});

test.each([
  ['no log', 'a\nb', 'x.jsonl has no decision about a permission of a subject at a scope'],
  ['nothing', '', 'x.jsonl has no decision about a permission of a subject at a scope'],
  [
    'too much',
    Array.from({ length: 20_001 }, (_, n) => line(n + 1, `u${n}`)).join('\n'),
    'x.jsonl: the log asks more than 20000 different questions: give fewer days, or the log of one tenant or API; gatehouse plan --against reads larger logs',
  ],
])('of %s says what is wrong', async (_, text, problem) => {
  expect(await readLog(fileOf('x.jsonl', text))).toEqual({ name: 'x.jsonl', problem });
});

test('that is no whole gzip file cannot be read', async () => {
  const packed = gzipSync(line(1, 'ann')).subarray(0, 20);
  expect(await readLog(fileOf('x.gz', packed))).toMatchObject({ problem: /^x\.gz: cannot be read/ });
});
