import type { IncomingMessage } from 'node:http';
import { foreignHeader } from '../gateway/own-requests.ts';

const SESSION = 'gatehouse_explorer';

/**
 * Whether a request comes from this machine and from the explorer's own page, or from nobody's page: an address that a
 * person typed, a program. Browsers name the relation in `Sec-Fetch-Site`; pages on other ports of this machine are of the
 * same site, and are refused as well.
 *
 * @returns the header at fault; undefined for a request that may be served
 */
export function foreignPage(incoming: IncomingMessage): 'Host' | 'Origin' | 'Sec-Fetch-Site' | undefined {
  const site = incoming.headers['sec-fetch-site'];
  return (
    foreignHeader(incoming) ??
    (site === undefined || site === 'same-origin' || site === 'none' ? undefined : 'Sec-Fetch-Site')
  );
}

/** Cookies know no ports: with the port in its name, two explorers on one machine keep their sessions apart. */
const nameAt = ({ socket }: IncomingMessage): string => `${SESSION}_${socket.localPort}`;

/** The sessions that a browser sent. */
export function sessionsIn(incoming: IncomingMessage): readonly string[] {
  const start = `${nameAt(incoming)}=`;
  return (incoming.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
}

/** The `Set-Cookie` of a session: gone when the browser is closed, never read by a script, never sent from another site. */
export const cookieOf = (incoming: IncomingMessage, session: string, path: string): string =>
  `${nameAt(incoming)}=${session}; Path=${path}; HttpOnly; SameSite=Strict`;
