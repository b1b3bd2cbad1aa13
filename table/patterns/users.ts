import { INDEXES } from '../entities/entity.ts';
import { SUBJECTS } from '../entities/subjects.ts';
import { formatRef } from '../identifiers.ts';
import { guardKey, type Key } from '../keys.ts';
import { normaliseEmail, normalisePhone, normaliseUsername } from '../normalise.ts';
import type { Reader } from '../reader.ts';
import type { View } from '../view.ts';
import { inTenant, withStatus } from './lists.ts';
import { optionOf, type PageInput, type Period, pattern, periodOf, refOf } from './pattern.ts';
import { mergedPageOf, nodeByGuard, ownerOf, pageOf, typedPageOf } from './reads.ts';
import { byId } from './shapes.ts';
import { nodeWith } from './stretches.ts';

/** The guard of one of a user's unique values, as a look-up: whose it is, and what it repeats. */
async function holderOf(reader: Reader, key: Key): Promise<View | undefined> {
  const guard = await reader.get(key);
  if (!guard) return undefined;
  const holder = ownerOf(guard);
  return {
    id: holder.id,
    ref: formatRef(holder),
    value: guard.value,
    ...(guard.provider === undefined ? {} : { provider: guard.provider }),
  };
}

export const userIdByEmail = pattern(
  {
    name: 'user-id-by-email',
    title: "the id of the user with an e-mail address, and the address's provider",
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-01', 'AZ-12'],
  },
  (reader, { email }: { readonly email: string }) =>
    holderOf(reader, guardKey('EMAIL', normaliseEmail(email, 'email'))),
);

export const userByEmail = pattern(
  {
    name: 'user-by-email',
    title: 'the user with an e-mail address',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['AM-01'],
  },
  (reader, { email }: { readonly email: string }) =>
    nodeByGuard(reader, guardKey('EMAIL', normaliseEmail(email, 'email'))),
);

export const userIdByPhone = pattern(
  {
    name: 'user-id-by-phone',
    title: 'the id of the user with a phone number',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-12'],
  },
  (reader, { phone }: { readonly phone: string }) =>
    holderOf(reader, guardKey('PHONE', normalisePhone(phone, 'phone'))),
);

export const userIdByUsername = pattern(
  {
    name: 'user-id-by-username',
    title: 'the id of the user with a user name',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-12'],
  },
  (reader, { username }: { readonly username: string }) =>
    holderOf(reader, guardKey('USERNAME', normaliseUsername(username, 'username'))),
);

export const user = byId('user', {
  name: 'user',
  title: 'a user by id',
  rows: ['RB-02', 'AZ-03', 'AZ-12'],
});

export const usersOfAccount = pattern(
  {
    name: 'users-of-account',
    title: 'the users of an account, by the time of their creation',
    reads: [{ operation: 'Query', index: INDEXES.tenant }],
    rows: ['PL-05'],
  },
  (reader, { account, ...rest }: Period & PageInput & { readonly account: string }) =>
    pageOf(reader, inTenant('user', refOf('account', account, 'account'), periodOf(rest)), rest),
);

const STATUSES = SUBJECTS.user.attributes.shape.status.unwrap().options;

export const usersByStatus = pattern(
  {
    name: 'users-by-status',
    title: 'the users who have a status, by their end date, those without one last',
    reads: [{ operation: 'Query', index: INDEXES.status }],
    rows: ['PL-13'],
  },
  (reader, { status, ...rest }: Period & PageInput & { readonly status: (typeof STATUSES)[number] }) =>
    mergedPageOf(reader, withStatus('user', optionOf(status, STATUSES, 'status'), periodOf(rest)), rest),
);

export const userWithWorkstreams = pattern(
  {
    name: 'user-with-workstreams',
    title: 'a user with the workstreams that the user works in',
    reads: [{ operation: 'Query' }],
    rows: ['PL-11'],
  },
  (reader, input: PageInput & { readonly user: string }) =>
    typedPageOf(reader, nodeWith(refOf('user', input.user, 'user'), ['workstream']), input),
);
