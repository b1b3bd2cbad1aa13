import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Milliseconds for which a link opens the explorer. */
export const LINK_MS = 5 * 60 * 1_000;
/** The most links that wait to be opened, and the most browsers that have opened one: the oldest is dropped. */
const MOST = 16;

export interface SessionsOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 256 random bits as text, unless given. */
  readonly newSecret?: () => string;
}

/** Who may use the explorer: browsers that opened one of its links. All of it ends with the process. */
export interface Sessions {
  /** A ticket for a link. It works once, within {@link LINK_MS}. */
  readonly newTicket: () => string;
  /** Opens a session by a ticket; undefined for one that is unknown, used or expired. */
  readonly open: (ticket: string) => string | undefined;
  /** Whether a session is open. */
  readonly isOpen: (session: string) => boolean;
}

const randomSecret = (): string => randomBytes(32).toString('base64url');

/** Only digests are kept, and every one is compared, so that the time it takes says nothing about them. */
export function createSessions({ now, newSecret = randomSecret }: SessionsOptions): Sessions {
  const tickets: { readonly digest: Buffer; readonly until: number }[] = [];
  const sessions: { readonly digest: Buffer }[] = [];

  function issue<T>(into: T[], kept: (digest: Buffer) => T): string {
    const secret = newSecret();
    into.push(kept(digestOf(secret)));
    if (into.length > MOST) into.shift();
    return secret;
  }

  return {
    newTicket: () => issue(tickets, (digest) => ({ digest, until: now() + LINK_MS })),
    open: (ticket) => {
      const found = find(tickets, ticket);
      if (found === undefined) return undefined;
      tickets.splice(tickets.indexOf(found), 1);
      return now() < found.until ? issue(sessions, (digest) => ({ digest })) : undefined;
    },
    isOpen: (session) => find(sessions, session) !== undefined,
  };
}

const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

function find<T extends { readonly digest: Buffer }>(among: readonly T[], secret: string): T | undefined {
  const digest = digestOf(secret);
  let found: T | undefined;
  for (const each of among) if (timingSafeEqual(each.digest, digest)) found = each;
  return found;
}
