import type { Actor } from '../../engine/index.ts';
import { isId } from '../../table/identifiers.ts';
import { CredentialsError } from '../errors.ts';
import type { ActorSource, IssuerConfiguration } from './configuration.ts';
import { entryOf } from './issuers.ts';
import type { VerifiedClaims } from './verify.ts';

/**
 * Who acts for the subject of verified claims; undefined where it is the subject alone. Throws CredentialsError
 * `claim_refused`.
 */
export type ActorOf = (claims: VerifiedClaims) => Actor | undefined;

/** Actors of a chain of delegation, and characters of the `sub` of one: more than anybody has, and a bound on the log. */
const MAX_CHAIN = 8;
const MAX_SUB = 1_024;

const refused = (claim: string): CredentialsError => new CredentialsError('claim_refused', claim);

const own = (object: object, name: string): unknown =>
  Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined;

/**
 * The `sub` of `act`, and of those that are nested in it: they acted before, and decide nothing (RFC 8693 section
 * 4.1). An actor of another issuer has its name from there: it is nobody of ours.
 */
function chainIn(claims: VerifiedClaims): readonly string[] {
  const chain: string[] = [];
  for (let act = claims.act; ; act = (act as Readonly<Record<string, unknown>>).act) {
    if (typeof act !== 'object' || act === null || Array.isArray(act)) throw refused('act');
    const [sub, issuer] = [own(act, 'sub'), own(act, 'iss')];
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB) throw refused('act');
    if (chain.push(sub) > MAX_CHAIN) throw refused('act');
    if (chain.length === 1 && issuer !== undefined && issuer !== claims.iss) throw refused('act');
    if (!Object.hasOwn(act, 'act')) return chain;
  }
}

/** Who acts, and who acted before; undefined where nobody does. */
function actingIn(claims: VerifiedClaims, { claim, clients }: ActorSource): readonly string[] | undefined {
  if (!Object.hasOwn(claims, claim)) return undefined;
  const chain = claim === 'act' ? chainIn(claims) : [claims[claim]];
  const [id] = chain;
  if (typeof id !== 'string') throw refused(claim);
  if (clients && !clients.includes(id)) {
    if (claim === 'act') throw refused(claim);
    return undefined;
  }
  if (!isId(id)) throw refused(claim);
  return chain as readonly string[];
}

function actorIn(
  claims: VerifiedClaims,
  { actorFrom, mandateFrom }: Pick<IssuerConfiguration, 'actorFrom' | 'mandateFrom'>,
): Actor | undefined {
  if (actorFrom?.claim !== 'act' && Object.hasOwn(claims, 'act')) throw refused('act');
  const chain = actorFrom && actingIn(claims, actorFrom);
  const mandate = mandateFrom === undefined ? undefined : own(claims, mandateFrom);
  if (actorFrom === undefined || chain === undefined) {
    // Without its actor it would be a token of the subject, and worth more.
    if (mandate !== undefined) throw refused(mandateFrom as string);
    return undefined;
  }
  if (mandate !== undefined && (typeof mandate !== 'string' || !isId(mandate)))
    throw refused(mandateFrom as string);
  const [id, ...before] = chain;
  return {
    subject: `${actorFrom.type}:${id}`,
    mandate: mandate === undefined ? undefined : `mandate:${mandate}`,
    until: Number(claims.exp) * 1_000,
    before: before.length > 0 ? before : undefined,
  };
}

/**
 * Finds who acts by the claim that is configured for the issuer (`actorFrom`), once for each verified token. Undefined where
 * no issuer has such a claim.
 */
export function createActorOfIssuers(
  issuers: readonly Pick<IssuerConfiguration, 'issuer' | 'tokenUse' | 'actorFrom' | 'mandateFrom'>[],
): ActorOf | undefined {
  if (issuers.every(({ actorFrom }) => actorFrom === undefined)) return undefined;
  // By the claims, which are kept with the verified token: the actor of one token is one object.
  const known = new WeakMap<VerifiedClaims, { readonly actor: Actor | undefined }>();
  return (claims) => {
    const found = known.get(claims) ?? { actor: actorIn(claims, entryOf(issuers, claims) ?? {}) };
    known.set(claims, found);
    return found.actor;
  };
}
