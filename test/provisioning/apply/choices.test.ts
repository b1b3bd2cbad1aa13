import { expect, test } from 'vitest';
import { createWorld } from '../../support/world.ts';

/** What a manifest takes one of several texts for, as people may write it and as the table has it. */
const written = (inCase: (text: string) => string) => ({
  scopes: {
    acme: { type: 'tenant', status: inCase('suspended'), combination: inCase('deny-overrides') },
    school: { type: 'location' },
  },
  pages: ['reports'],
  groups: { staff: { scope: 'school', groupType: inCase('TEACHER') } },
  users: { ann: { tenant: 'acme', status: inCase('disabled'), userType: inCase('MEMBER') } },
  properties: [{ of: 'context', name: 'channel', type: inCase('string'), source: inCase('passed') }],
  settings: [{ scope: 'acme', key: 'limit', value: '7', valueType: inCase('number') }],
  routes: [{ method: inCase('GET'), path: '/reports', permission: 'reports', scope: 'acme' }],
});

test.each([
  ['lower', (text: string) => text.toLowerCase()],
  ['upper', (text: string) => text.toUpperCase()],
])('choices in %s case are those that the table has', async (_, inCase) => {
  const { run } = await createWorld();
  await run('tenant.apply', { manifest: written(inCase) });
  expect(await run('tenant.plan', { manifest: written((text) => text) })).toMatchObject({
    changes: [],
    problems: [],
  });
});
