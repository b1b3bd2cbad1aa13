import { INDEXES } from '../entities/entity.ts';
import { PLATFORM } from '../entities/platform.ts';
import { withStatus } from './lists.ts';
import { optionOf, type PageInput, type Period, pattern, periodOf, refOf } from './pattern.ts';
import { mergedPageOf, typedPageOf } from './reads.ts';
import { every, ownedOf } from './shapes.ts';
import { isOwnership, nodeWith } from './stretches.ts';

/** Seed 002: accounts and enterprises, and what hangs on them. */
export const accounts = every('account', { name: 'accounts', title: 'all accounts', rows: ['PL-01'] });

export const enterprises = every('enterprise', {
  name: 'enterprises',
  title: 'all enterprises',
  rows: ['PL-02'],
});

export const products = every('product', { name: 'products', title: 'all products', rows: ['PL-21'] });

export const services = every('service', { name: 'services', title: 'all services', rows: ['PL-21'] });

export const accountWithBelongings = pattern(
  {
    name: 'account-with-belongings',
    title: 'an account with its addresses, technical users, licences and workstreams',
    reads: [{ operation: 'Query' }],
    rows: ['PL-03'],
  },
  (reader, input: PageInput & { readonly account: string }) => {
    const account = refOf('account', input.account, 'account');
    const types = ['address', 'technical-user', 'license', 'workstream'];
    // Somebody else's technical users may have been let in: they are no belongings.
    return typedPageOf(reader, nodeWith(account, types, isOwnership), input);
  },
);

export const enterpriseWithUses = pattern(
  {
    name: 'enterprise-with-uses',
    title: 'an enterprise with the products and services that it uses',
    reads: [{ operation: 'Query' }],
    rows: ['PL-04'],
  },
  (reader, input: PageInput & { readonly enterprise: string }) => {
    const enterprise = refOf('enterprise', input.enterprise, 'enterprise');
    return typedPageOf(reader, nodeWith(enterprise, ['product', 'service']), input);
  },
);

export const licensesOfAccount = ownedOf('account', 'license', {
  name: 'licenses-of-account',
  title: 'the licences of an account',
  rows: ['PL-06'],
});

export const licensesOfEnterprise = ownedOf('enterprise', 'license', {
  name: 'licenses-of-enterprise',
  title: 'the licences for an enterprise',
  rows: ['PL-07'],
});

export const workstreamsOfAccount = ownedOf('account', 'workstream', {
  name: 'workstreams-of-account',
  title: 'the workstreams of an account',
  rows: ['PL-08'],
});

export const workstreamsOfEnterprise = ownedOf('enterprise', 'workstream', {
  name: 'workstreams-of-enterprise',
  title: 'the workstreams that are linked to an enterprise',
  rows: ['PL-09'],
});

export const toolsOfWorkstream = ownedOf('workstream', 'tool', {
  name: 'tools-of-workstream',
  title: 'the tools of a workstream',
  rows: ['PL-18'],
});

const STATUSES = PLATFORM.license.attributes.shape.status.unwrap().options;

/** Those that are open are looked for when no status is given; `from` leaves out those that have ended already. */
export const licensesByEnd = pattern(
  {
    name: 'licenses-by-end',
    title: 'the licences that end before a date, by their end date',
    reads: [{ operation: 'Query', index: INDEXES.status }],
    rows: ['PL-12'],
  },
  (
    reader,
    { status = 'active', ...rest }: Period & PageInput & { readonly status?: (typeof STATUSES)[number] },
  ) =>
    mergedPageOf(reader, withStatus('license', optionOf(status, STATUSES, 'status'), periodOf(rest)), rest),
);
