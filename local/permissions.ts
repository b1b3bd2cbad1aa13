import type { RequestListener } from 'node:http';
import { createEngine, type Observe } from '../engine/index.ts';
import { bearer, expressPermissions } from '../middleware/index.ts';
import type { Reader } from '../table/reader.ts';
import { ownOnly } from './gateway/own-requests.ts';
import { GROUPS_CLAIM } from './identity/identity-provider.ts';

/** A snapshot holds for at least this long: with a shorter time, a client would do nothing but load. */
const LEAST_TTL_SECONDS = 5;

export interface LocalPermissionsOptions {
  readonly reader: Reader;
  readonly issuer: string;
  readonly audience: string;
  /** Time-to-live of the engine's cache in seconds. */
  readonly ttlSeconds: number;
  /** Takes every decision. */
  readonly observe: Observe;
}

/** What the caller of a token may do at a scope (`?scope=type:id`), for programs on this machine. */
export function createPermissionsListener(options: LocalPermissionsOptions): RequestListener {
  const { reader, issuer, audience, observe } = options;
  const ttlMs = Math.max(options.ttlSeconds, LEAST_TTL_SECONDS) * 1_000;
  const engine = createEngine({ reader, observe, ttlMs, clock: { now: Date.now } });
  const who = bearer({ issuer, audience, groupsFrom: GROUPS_CLAIM });
  const serve = expressPermissions({ engine, reader, who });
  return ownOnly((incoming, outgoing) => void serve(incoming, outgoing));
}
