import { afterAll, expect, test } from 'vitest';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

afterAll(removeFiles);
const world = await createLightWorld();
await world.apply(
  'pages: [home]\nscopes: { acme: { id: acme, type: tenant } }\nusers: { ann: { id: ann, admin: true } }',
);
const ASKED = ['user:ann', 'home', 'tenant:acme'];
const FAILING = 'tests: [{ subject: "user:ann", permission: home, scope: "tenant:acme", expect: deny }]';

test.each([
  ['check', ...ASKED],
  ['explain', ...ASKED],
  ['test', fileOf(FAILING)],
])('%s has colours on a terminal only, and not for those who said no', async (...args) => {
  const hasColours = async (isTerminal: boolean, more: readonly string[] = [], env = {}) => {
    const changes = { env: { TABLE_NAME: world.table, ...env }, isTerminal };
    return (await gatehouse([...args, ...more], changes)).out.includes('\u001b[');
  };
  expect(await hasColours(true)).toBe(true);
  expect(await hasColours(false)).toBe(false);
  expect(await hasColours(true, [], { NO_COLOR: '1' })).toBe(false);
  expect(await hasColours(true, ['--json'])).toBe(false);
});
