import type { DynamoDBRecord } from 'aws-lambda';
import { formatRef } from '../../table/identifiers.ts';
import { parseKey } from '../../table/keys.ts';
import type { Found } from './connection.ts';

/** What a change of the table asks of open connections. */
export interface Consequence {
  /** Which connections it concerns; several where only one of them has any. */
  readonly found: readonly Found[];
  /** Only those of this permission. */
  readonly permission?: string;
}

/**
 * Types of decision items that no decision about a connection looks at; with that of a group its scope's changes. Who
 * acts for somebody cannot connect.
 */
const OTHERS: ReadonlySet<string> = new Set(['api', 'resource-type', 'group', 'mandate']);

/**
 * The connections that a record of the change feed concerns; undefined for a change that no decision rests on.
 * Decision items are in the transaction of every change of rights (docs/change-feed.md).
 */
export function consequenceOf({ dynamodb }: DynamoDBRecord): Consequence | undefined {
  const { Keys, OldImage, NewImage } = dynamodb ?? {};
  const [PK, SK] = [Keys?.PK?.S, Keys?.SK?.S];
  const key = PK === undefined || SK === undefined ? undefined : parseKey({ PK, SK });
  if (key?.form === 'tenant-effects')
    return { ...asked({ by: 'tenant', value: formatRef(key) }), permission: key.permission };
  if (key?.form === 'memberships') return asked({ by: 'subject', value: formatRef(key) });
  if (key?.form !== 'decision' || OTHERS.has(key.type)) return undefined;
  switch (key.type) {
    case 'session':
    case 'token': {
      // A new one has opened nothing yet.
      const subject = OldImage?.subject?.S;
      return subject === undefined ? undefined : asked({ by: 'subject', value: subject });
    }
    case 'page':
    case 'permission':
      return asked({ by: 'permission', value: key.id });
    case 'global':
      return asked({ by: 'all' });
    case 'user':
    case 'technical-user':
      return asked({ by: 'subject', value: formatRef(key) });
    case 'subject':
      // Of an added type: its id is the reference.
      return asked({ by: 'subject', value: key.id });
    default: {
      // A scope: connections are listed by the root, which is among the scope and its ancestors.
      const ancestors = (NewImage ?? OldImage)?.ancestors?.L ?? [];
      const refs = [formatRef(key), ...ancestors.flatMap(({ S }) => S ?? [])];
      return asked(...refs.map((value) => ({ by: 'tenant', value }) as const));
    }
  }
}

const asked = (...found: readonly Found[]): Consequence => ({ found });
