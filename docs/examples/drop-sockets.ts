import type { AttributeValue, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { formatRef, parseKey } from '../../table/index.ts';

/**
 * An example consumer of the change feed (docs/change-feed.md): closes the open WebSockets of those who may not
 * go on. API Gateway asks the authorizer at `$connect` only, so nothing else ends them before two hours are over.
 *
 * It is a Lambda function behind the table's stream; in your own code import from `gatehouse-authz/table`.
 */
export interface Sockets {
  /**
   * Ids of open connections, from where your `$connect` route keeps them. `subject` and `tenant` are what the
   * authorizer put into its context; `session` and `token` the claims that `REVOCATION` names.
   */
  readonly openOf: (by: Closed) => Promise<readonly string[]>;
  /** DELETE @connections/{id}. One that is gone already (410) is no error. */
  readonly drop: (connection: string) => Promise<void>;
}

/** What was closed, and so whose connections have to go. */
export type Closed =
  | { readonly kind: 'subject'; readonly ref: string }
  /** A scope with all below it. */
  | { readonly kind: 'scope'; readonly ref: string }
  | { readonly kind: 'session' | 'token'; readonly ref: string; readonly subject: string };

type Image = Readonly<Record<string, AttributeValue>> | undefined;

/** What a record of the stream closes; undefined for every other change. */
export function closedBy({ dynamodb }: DynamoDBRecord): Closed | undefined {
  const { Keys, OldImage, NewImage } = dynamodb ?? {};
  const [PK, SK] = [Keys?.PK?.S, Keys?.SK?.S];
  if (PK === undefined || SK === undefined) return undefined;
  const key = parseKey({ PK, SK });
  // What a check reads of a user, a scope, a session, a token: its decision item, in the transaction of the change.
  if (key?.form !== 'decision' || !wasOpen(OldImage) || wasOpen(NewImage)) return undefined;
  const ref = formatRef(key);
  if (key.type === 'user' || key.type === 'technical-user') return { kind: 'subject', ref };
  if (key.type === 'session' || key.type === 'token')
    return { kind: key.type, ref, subject: OldImage?.subject?.S ?? '' };
  return { kind: 'scope', ref };
}

/** Pages and permissions have no status; of all else `active` alone is open. */
const wasOpen = (image: Image): boolean => image?.status?.S === 'active';

/** The handler. A batch that fails is delivered again, and to drop twice does no harm. */
export const createHandler =
  ({ openOf, drop }: Sockets) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<void> => {
    for (const record of Records) {
      const closed = closedBy(record);
      if (closed === undefined) continue;
      for (const connection of await openOf(closed)) await drop(connection);
    }
  };
