import { expect, test } from 'vitest';
import { createExplainer, formatExplanation } from '../../../engine/index.ts';
import { createWorld } from '../../support/world.ts';

/** What an explanation says of who acts (SPEC section 17). That it decides as `check` does: ../acting.test.ts. */
const world = await createWorld(`
pages: [lobby]
scopes: { Acme: { id: acme, type: tenant }, Hall: { id: hall, type: location, parent: Acme } }
roles: { visitor: { owner: Acme, allow: [lobby] } }
users: { ann: { id: ann, grants: { Acme: [visitor] } } }
subjects: { bot: { type: agent, id: bot, grants: { Acme: [visitor] } } }
`);
const ends = { actor: 'agent:bot', permissions: ['lobby'], scopes: ['location:hall'] };
await world.run('mandate.create', { id: 'tour', subject: 'user:ann', ...ends, purpose: 'a tour' });
world.settle();

test('as text it has the steps of both, and the mandate', async () => {
  const explained = await createExplainer(world).explain('user:ann', 'lobby', 'tenant:acme', {
    actor: { subject: 'agent:bot', mandate: 'mandate:tour' },
  });
  // Ann may herself, whoever refuses.
  expect(explained.acting?.subject).toEqual({ allowed: true, reason: 'role' });
  const text = formatExplanation(explained);
  expect(text).toMatch(/^REFUSED \(mandate_scope\)\nsubject {5}.*user:ann.*\nactor {7}.*agent:bot/);
  expect(text).toContain('the actor itself: allowed (role)');
  expect(text).toContain('mandate:tour: active, until 2026-01-16T12:');
  expect(text).toContain('scopes Hall (location:hall)');
});
