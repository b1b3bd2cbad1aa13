import { hashOfToken, parseScimCredential } from '../../table/api-token.ts';
import { isSameSecret } from '../../table/bytes.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { connectionRef } from './scim-links.ts';

/** Whom a credential speaks for: the connection, as the table has it. */
export interface ShownCredential {
  /** The ids of both. */
  readonly connection: string;
  readonly credential: string;
  /** The root to which the connection belongs, as a reference. */
  readonly scope: string;
  readonly issuer: string | undefined;
  /** ISO 8601. */
  readonly lastSyncAt: string | undefined;
  readonly expiresAt: string;
}

/**
 * Verifies the text that an identity provider shows, by one BatchGetItem.
 *
 * @param now epoch milliseconds
 * @returns undefined for whatever is no valid credential; it does not say why
 */
export async function readScimCredential(
  reader: Pick<Reader, 'getMany'>,
  text: string,
  now: number,
): Promise<ShownCredential | undefined> {
  const named = parseScimCredential(text);
  if (!named) return undefined;
  const [[credential, connection], hash] = await Promise.all([
    reader.getMany([
      nodeKey({ type: 'scim-credential', id: named.id }),
      nodeKey(connectionRef(named.connection)),
    ]),
    hashOfToken(text),
  ]);
  // The hash is of the whole text, so the connection that it names is that of the credential.
  const isSame = isSameSecret(String(credential?.hash ?? ''), hash);
  if (!credential || !connection || !isSame) return undefined;
  const { expiresAt, deletingSince } = credential;
  const { scope, issuer, lastSyncAt } = connection;
  const isLiving = deletingSince === undefined && connection.deletingSince === undefined;
  if (!isLiving || typeof expiresAt !== 'string' || typeof scope !== 'string') return undefined;
  // An end that cannot be read is before any time.
  if (!(now < Date.parse(expiresAt))) return undefined;
  return {
    connection: named.connection,
    credential: named.id,
    scope,
    issuer: typeof issuer === 'string' ? issuer : undefined,
    lastSyncAt: typeof lastSyncAt === 'string' ? lastSyncAt : undefined,
    expiresAt,
  };
}
