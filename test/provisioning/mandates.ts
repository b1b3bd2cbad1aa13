import type { World } from '../support/world.ts';
import type { Input } from './support.ts';

/** Ann, who pays invoices in Acme's north, and a bot that may do it too; Globex is another tenant. */
const MANIFEST = `
permissions: ["invoices:read:invoice", "invoices:pay:invoice", "provisioning:create:user"]
properties:
  - { of: action, name: amount, type: int }
  - { of: action, name: note, type: string }
  - { of: subject:user, name: level, type: int, source: stored }
scopes:
  Acme: { id: acme, type: tenant }
  North: { id: north, type: location, parent: Acme }
  Globex: { id: globex, type: tenant }
roles:
  payer: { id: payer, allow: ["invoices:*:*"] }
users:
  ann: { id: ann, grants: { Acme: [payer] } }
  bob: { id: bob }
subjects:
  bot: { type: agent, id: bot, grants: { Acme: [payer] } }
  free: { type: agent, id: free, mandateOptional: true }
`;

export async function furnishMandates(world: Pick<World, 'apply'>): Promise<void> {
  await world.apply(MANIFEST);
}

export const MANDATE: Input = {
  id: 'm1',
  subject: 'user:ann',
  actor: 'agent:bot',
  permissions: ['invoices:*:*'],
  scopes: ['location:north'],
  purpose: 'pays invoices',
};

/** Ann's bot pays an invoice by it. */
export const USE = {
  mandate: 'm1',
  subject: 'user:ann',
  actor: 'agent:bot',
  permission: 'invoices:pay:invoice',
  scope: 'location:north',
};
