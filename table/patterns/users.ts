import { formatRef } from '../identifiers.ts';
import { guardKey, type Key, nodeKey } from '../keys.ts';
import { normaliseEmail, normalisePhone, normaliseUsername } from '../normalise.ts';
import type { Reader } from '../read/reader.ts';
import type { View } from '../view.ts';
import { pattern, refOf } from './pattern.ts';
import { itemAt, nodeByGuard, ownerOf } from './reads.ts';

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

export const user = pattern(
  {
    name: 'user',
    title: 'a user by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-02', 'AZ-03', 'AZ-12'],
  },
  (reader, input: { readonly user: string }) => itemAt(reader, nodeKey(refOf('user', input.user, 'user'))),
);
