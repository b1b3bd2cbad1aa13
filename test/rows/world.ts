import { readFileSync } from 'node:fs';
import { applyOn } from '../provisioning/apply/support.ts';
import type { World } from '../support/world.ts';
import { HOUR } from './setup.ts';

const MANIFEST = readFileSync(new URL('world.yaml', import.meta.url), 'utf8');

type Step = readonly [command: string, input: Readonly<Record<string, unknown>>, actor?: string];

const notification = (id: string, deliveryStatus: string, sentAt: string, account?: string): Step => [
  'notification.create',
  { id, notificationType: 'invitation', deliveryStatus, sentAt, ...(account ? { account } : {}) },
];

/** What no manifest holds. */
const APART: readonly Step[] = [
  ...['p1', 'p2', 'p3'].map((id): Step => ['product.create', { id, name: `Product ${id}` }]),
  ...['s1', 's2'].map((id): Step => ['service.create', { id, name: `Service ${id}` }]),
  ['enterprise-product.create', { enterprise: 'enterprise:gas', product: 'p1' }],
  ['enterprise-product.create', { enterprise: 'enterprise:gas', product: 'p2' }],
  ['enterprise-product.create', { enterprise: 'enterprise:oil', product: 'p3' }],
  ['enterprise-service.create', { enterprise: 'enterprise:gas', service: 's1' }],
  ['enterprise-service.create', { enterprise: 'enterprise:oil', service: 's2' }],
  ['address.create', { id: 'a1', account: 'account:north', city: 'Rome' }],
  ['address.create', { id: 'a2', account: 'account:south' }],
  ['tool.create', { id: 't1', workstream: 'workstream:gas-a', name: 'Drill', url: 'https://example.com/#t' }],
  ['tool.create', { id: 't2', workstream: 'workstream:gas-a', name: 'Saw' }],
  ['tool.create', { id: 't3', workstream: 'workstream:gas-b', name: 'Drill' }],
  ['workstream-member.create', { user: 'bob', workstream: 'workstream:gas-a' }],
  ['workstream-member.create', { user: 'bob', workstream: 'workstream:oil-a' }],
  ['workstream-member.create', { user: 'ann', workstream: 'workstream:gas-b' }],
  ['session.create', { user: 'bob' }],
  ['grant.create', { id: 'g-dan', user: 'dan', scope: 'tenant:blue', roles: ['author'] }],
  ['grant.create', { id: 'g-ivy', user: 'ivy', scope: 'tenant:blue' }],
  [
    'role-template.create',
    {
      id: 'template',
      name: 'Template',
      permissions: [
        { permission: 'gate:open:door', effect: 'DENY' },
        { permission: 'gate:read:*', effect: 'ALLOW' },
      ],
    },
  ],
  ['role.create', { id: 'made', name: 'made', scope: 'client:acme-sons', customTemplateId: 'template' }],
  ['assignment.create', { user: 'bob', scope: 'building:twin-house', role: 'made' }],
  // Written in another order than sent.
  notification('n-sent-2', 'sent', '2026-01-03', 'account:north'),
  notification('n-failed-1', 'failed', '2026-01-02', 'account:north'),
  notification('n-sent-1', 'sent', '2026-01-01', 'account:north'),
  notification('n-skipped', 'skipped', '2026-01-04', 'account:north'),
  notification('n-failed-0', 'failed', '2026-01-01T12:00:00Z'),
  notification('n-sent-3', 'sent', '2026-01-04T12:00:00Z', 'account:south'),
  // Ids of policies are not folded: Verified Permissions tells them apart.
  ['policy.create', { policyId: 'p-abc', name: 'ticket-b', description: 'First' }],
  ['policy.create', { policyId: 'P-abc', name: 'Ticket-A.x' }],
  ['policy.create', { policyId: 'p-abcd', name: 'ticket' }],
  ['policy.create', { policyId: 'q-1', name: 'ticket-a' }],
  ['policy.create', { policyId: 'q-2', name: 'xticket' }],
  ['policy.create', { policyId: 'q-3', name: 'ticke' }],
  ['client.create', { id: 'zeta', name: 'Zeta' }],
];

/** An hour after another, in no order of ids. */
const HOURLY: readonly (readonly Step[])[] = [
  [
    ['project.create', { id: 'z-c', parent: 'client:zeta', name: 'One' }, 'user:ann'],
    ['user.create', { id: 'n-c', tenant: 'account:north' }, 'pipeline'],
    ['user.create', { id: 's-c', tenant: 'account:south' }],
  ],
  [
    ['project.create', { id: 'z-a', parent: 'client:zeta', name: 'Two' }, 'user:bob'],
    ['user.create', { id: 'n-a', tenant: 'account:north' }, 'user:ann'],
  ],
  [
    ['project.create', { id: 'z-b', parent: 'client:zeta', name: 'Three' }],
    ['building.create', { id: 'z-house', parent: 'project:z-b', name: 'House' }],
    ['user.create', { id: 'n-b', tenant: 'account:north', endsAt: '2026-06-03' }],
    [
      'audit.create',
      {
        tenant: 'client:zeta',
        action: 'door-opened',
        entityType: 'device',
        entityId: 'lamp',
        severity: 'warning',
      },
      'user:ann',
    ],
    // What is done to her is not what she does.
    ['user.update', { id: 'ann', title: 'Head' }, 'user:bob'],
  ],
];

/** Fills a table with the world of the rows, from 2026-01-15T12:00Z on; a minute later than all of it. */
export async function furnish(world: World): Promise<void> {
  await applyOn(world, MANIFEST);
  for (const steps of [APART, ...HOURLY]) {
    world.clock.advance(HOUR);
    for (const [command, input, actor] of steps) {
      const answer = await world.provision({ command, input, ...(actor ? { actor } : {}) });
      if (!answer.ok) throw answer.error;
    }
  }
  world.settle();
}
