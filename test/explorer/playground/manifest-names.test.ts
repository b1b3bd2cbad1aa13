import { expect, test } from 'vitest';
import { createModel } from '../../../explorer/playground/model.ts';

const MANIFEST = `
scopes: { school: { type: tenant } }
users: { ann: , ben: { email: ben@school.example } }
`;

const find = async (name: string, kind: string) => {
  const model = createModel({ now: () => 0 });
  const { names } = await model.update({ manifest: MANIFEST, tests: '' });
  const reply = await model.service('command', { command: 'name.find', input: { name, kind } });
  const { result } = (reply.ok ? reply.result : {}) as { result?: { candidates: { ref: string }[] } };
  return { found: result?.candidates.map(({ ref }) => ref), names };
};

test('people are found by their names in the manifest, which a table does not look up', async () => {
  const { found, names } = await find('ann', 'subject');
  expect(found).toEqual([names.subject.ann]);
});

test('what the table knows comes from the table', async () => {
  const { found, names } = await find('ben@school.example', 'subject');
  expect(found).toEqual([names.subject.ben]);
});

test('a name of another kind, or of nothing, is not found', async () => {
  expect((await find('ann', 'scope')).found).toEqual([]);
  expect((await find('zoe', 'subject')).found).toEqual([]);
  expect((await find('constructor', 'subject')).found).toEqual([]);
});
