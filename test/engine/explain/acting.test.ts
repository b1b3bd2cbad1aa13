import { beforeAll, expect, test } from 'vitest';
import { createExplainer, formatExplanation } from '../../../engine/index.ts';
import { createWorld, type World } from '../../support/world.ts';

/** What an explanation says of who acts (SPEC section 17): it is of the same decision as that of `check`. */
let world: World;
beforeAll(async () => {
  world = await createWorld(`
pages: [vault, lobby]
scopes: { Acme: { id: acme, type: tenant }, Hall: { id: hall, type: location, parent: Acme } }
roles:
  keeper: { id: keeper, owner: Acme, allow: [vault, lobby] }
  visitor: { id: visitor, owner: Acme, allow: [lobby] }
users:
  ann: { id: ann, grants: { Acme: [keeper] } }
  ben: { id: ben, grants: { Acme: [visitor] } }
subjects: { bot: { type: agent, id: bot, grants: { Acme: [visitor] } } }
`);
  const mandate = {
    actor: 'agent:bot',
    permissions: ['lobby'],
    scopes: ['location:hall'],
    purpose: 'a tour',
  };
  await world.run('mandate.create', { id: 'tour', subject: 'user:ann', ...mandate });
  await world.run('mandate.create', { id: 'other', subject: 'user:ben', ...mandate });
  world.settle();
});

test.each([
  ['user:ben', 'vault', undefined],
  ['user:ben', 'lobby', undefined],
  ['user:nobody', 'lobby', undefined],
  ['agent:bot', 'lobby', undefined],
  ['agent:bot', 'lobby', 'mandate:tour'],
  ['agent:bot', 'vault', 'mandate:tour'],
  ['agent:bot', 'lobby', 'mandate:other'],
  ['agent:bot', 'lobby', 'mandate:none'],
])('%s for ann, to use %s by %s: as check decides', async (subject, permission, mandate) => {
  const actor = { subject, mandate };
  for (const scope of ['location:hall', 'tenant:acme']) {
    const checked = await world.newEngine().check('user:ann', permission, scope, { actor });
    const explained = await createExplainer(world).explain('user:ann', permission, scope, { actor });
    expect({ allowed: explained.allowed, reason: explained.reason }).toEqual(checked);
    expect(explained.acting?.actor.subject.ref).toBe(subject);
    expect(explained.acting?.mandate?.ref).toBe(mandate === 'mandate:tour' ? mandate : undefined);
  }
});

test('as text it has the steps of both, and the mandate', async () => {
  const explained = await createExplainer(world).explain('user:ann', 'lobby', 'tenant:acme', {
    actor: { subject: 'agent:bot', mandate: 'mandate:tour' },
  });
  const text = formatExplanation(explained);
  expect(text).toMatch(/^REFUSED \(mandate_scope\)\nsubject {5}.*user:ann.*\nactor {7}.*agent:bot/);
  expect(text).toContain('the actor itself: allowed (role)');
  expect(text).toContain('mandate:tour: active, until 2026-01-16T12:');
  expect(text).toContain('scopes Hall (location:hall)');
});
