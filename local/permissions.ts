import type { RequestListener } from 'node:http';
import { createEngine, type Observe } from '../engine/index.ts';
import { bearer, expressPermissions } from '../middleware/index.ts';
import type { Reader } from '../table/reader.ts';
import { GROUPS_CLAIM } from './identity/identity-provider.ts';
import { ownOnly } from './own-requests.ts';

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
export function createPermissionsListener({
  reader,
  issuer,
  audience,
  ttlSeconds,
  observe,
}: LocalPermissionsOptions): RequestListener {
  const engine = createEngine({
    reader,
    observe,
    clock: { now: Date.now },
    ttlMs: Math.max(ttlSeconds, LEAST_TTL_SECONDS) * 1_000,
  });
  const serve = expressPermissions({
    engine,
    reader,
    who: bearer({ issuer, audience, groupsFrom: GROUPS_CLAIM }),
  });
  return ownOnly((incoming, outgoing) => void serve(incoming, outgoing));
}
