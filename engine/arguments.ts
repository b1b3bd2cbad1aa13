import { type GatehouseError, invalid } from '../table/errors.ts';
import { readFreshnessToken } from '../table/freshness-token.ts';
import type { Actor } from './actor.ts';

/**
 * Checks of what callers pass to the public functions, plain because they precede every warm decision. A fault
 * is a GatehouseError `invalid` with the argument's name in `field`. Texts of the right type and length that
 * name nothing are no faults: a check refuses them and a search finds nothing.
 */
type Fault = GatehouseError | undefined;

/** Characters of the longest text that is looked at. The longest name has fewer. */
const MAX_LENGTH = 1_024;

/** The most requests or names of one call. */
const MAX_LIST = 1_000;

/** Milliseconds before and after 1970 that a Date can hold. */
const MAX_INSTANT = 8.64e15;

export const faultInText = (field: string, value: unknown, most = MAX_LENGTH): Fault =>
  typeof value === 'string' && value !== '' && value.length <= most
    ? undefined
    : invalid(field, `${field} must be a text of 1 to ${most} characters`);

export const faultInTexts = (field: string, values: unknown, most?: number): Fault =>
  faultInList(field, values, (value, position) => faultInText(`${field}.${position}`, value, most));

/** The first fault in a list of requests or names. */
export function faultInList(
  field: string,
  values: unknown,
  faultIn: (value: unknown, position: number) => Fault,
): Fault {
  if (!Array.isArray(values)) return invalid(field, `${field} must be a list`);
  if (values.length > MAX_LIST) return invalid(field, `${field} has more than ${MAX_LIST} entries`);
  for (const [position, value] of values.entries()) {
    const fault = faultIn(value, position);
    if (fault) return fault;
  }
  return undefined;
}

interface Question {
  readonly subject: unknown;
  readonly permission: unknown;
  readonly scope: unknown;
}

/** A question with its options, as one of many. */
export function faultInRequest(request: unknown): Fault {
  const fault = faultInShared(request);
  if (fault) return fault;
  const { subject, permission, scope, given } = request as Question & Options;
  return (
    faultInText('subject', subject) ??
    faultInText('permission', permission) ??
    faultInText('scope', scope) ??
    (given === undefined ? undefined : faultInGiven('given.', given))
  );
}

interface Options {
  readonly actor?: unknown;
  readonly at?: unknown;
  readonly consistency?: unknown;
  readonly credential?: unknown;
  readonly groups?: unknown;
  readonly prefetch?: unknown;
  readonly given?: unknown;
}

interface Given {
  readonly subject?: unknown;
  readonly resource?: unknown;
  readonly action?: unknown;
  readonly context?: unknown;
}

/** Options that all functions share, and what is given for conditions. */
export const faultInOptions = (options: unknown): Fault =>
  faultInShared(options) ?? faultInGiven('', options);

/** What a caller gives for conditions. Properties may have any values: those that do not fit count as missing. */
function faultInGiven(prefix: string, given: unknown): Fault {
  if (!isObject(given)) return invalid(prefix.slice(0, -1), `${prefix.slice(0, -1)} must be an object`);
  const { subject, resource, action, context } = given as Given;
  return (
    (subject === undefined ? undefined : faultInEntity(`${prefix}subject`, subject)) ??
    (resource === undefined ? undefined : faultInEntity(`${prefix}resource`, resource, 'type', 'id')) ??
    (action === undefined ? undefined : faultInEntity(`${prefix}action`, action, 'name')) ??
    (context === undefined || isObject(context)
      ? undefined
      : invalid(`${prefix}context`, `${prefix}context must be an object`))
  );
}

/** @param names of its texts, each of which may be left out */
function faultInEntity(field: string, entity: unknown, ...names: readonly string[]): Fault {
  if (!isObject(entity)) return invalid(field, `${field} must be an object`);
  const values = entity as Readonly<Record<string, unknown>>;
  if (values.properties !== undefined && !isObject(values.properties))
    return invalid(`${field}.properties`, `${field}.properties must be an object`);
  for (const name of names) {
    const fault = values[name] === undefined ? undefined : faultInText(`${field}.${name}`, values[name]);
    if (fault) return fault;
  }
  return undefined;
}

function faultInShared(options: unknown): Fault {
  if (!isObject(options)) return invalid('options', 'options must be an object');
  const { actor, at, consistency, credential, groups, prefetch } = options as Options;
  if (at !== undefined && !(typeof at === 'number' && Math.abs(at) <= MAX_INSTANT))
    return invalid('at', 'at must be an instant in epoch milliseconds');
  return (
    (consistency === undefined ? undefined : faultInConsistency(consistency)) ??
    (credential === undefined ? undefined : faultInCredential(credential)) ??
    (actor === undefined ? undefined : faultInActor(actor)) ??
    (groups === undefined ? undefined : faultInGroups(groups)) ??
    (prefetch === undefined || isTexts(prefetch)
      ? undefined
      : invalid('prefetch', 'prefetch must be a list of texts'))
  );
}

function faultInConsistency(consistency: unknown): Fault {
  if (consistency === 'cached' || consistency === 'strong') return undefined;
  if (!isObject(consistency) || !('atLeast' in consistency))
    return invalid('consistency', "consistency must be 'cached', 'strong' or { atLeast: TOKEN }");
  const { atLeast } = consistency;
  return typeof atLeast === 'string' && readFreshnessToken(atLeast) !== undefined
    ? undefined
    : invalid('consistency.atLeast', 'atLeast must be a token from the answer to a write');
}

function faultInCredential(credential: unknown): Fault {
  if (!isObject(credential)) return invalid('credential', 'credential must be an object');
  const { ref, hash } = credential as { readonly ref?: unknown; readonly hash?: unknown };
  return (
    faultInText('credential.ref', ref) ??
    (hash === undefined ? undefined : faultInText('credential.hash', hash))
  );
}

const ACTOR_FIELDS: ReadonlySet<string> = new Set(['subject', 'mandate', 'hash', 'until', 'before']);

/** A name that is not known may be one that would have narrowed: it is refused. */
function faultInActor(actor: unknown): Fault {
  if (!isObject(actor)) return invalid('actor', 'actor must be an object');
  for (const name in actor)
    if (!ACTOR_FIELDS.has(name))
      return invalid('actor', 'actor has subject, mandate, hash, until and before, and nothing else');
  const { subject, mandate, hash, until, before } = actor as { readonly [name in keyof Actor]?: unknown };
  return (
    faultInText('actor.subject', subject) ??
    (mandate === undefined ? undefined : faultInText('actor.mandate', mandate)) ??
    (hash === undefined ? undefined : faultInText('actor.hash', hash)) ??
    (until === undefined || Number.isFinite(until)
      ? undefined
      : invalid('actor.until', 'actor.until must be an instant in epoch milliseconds')) ??
    (before === undefined || isTexts(before)
      ? undefined
      : invalid('actor.before', 'actor.before must be a list of texts')) ??
    (hash !== undefined && mandate === undefined
      ? invalid('actor.mandate', 'actor.mandate must be given with actor.hash')
      : undefined)
  );
}

/** Characters of the longest issuer, and of the longest name of a group. */
const MAX_ISSUER = 512;
const MAX_GROUP = 256;

/** The groups of a token. */
function faultInGroups(groups: unknown): Fault {
  if (!isObject(groups)) return invalid('groups', 'groups must be an object');
  const { issuer, ids, until } = groups as {
    readonly [name in 'issuer' | 'ids' | 'until']?: unknown;
  };
  return (
    faultInText('groups.issuer', issuer, MAX_ISSUER) ??
    faultInTexts('groups.ids', ids, MAX_GROUP) ??
    (Number.isFinite(until)
      ? undefined
      : invalid('groups.until', 'groups.until must be an instant in epoch milliseconds'))
  );
}

/** What is only prefetched may be any text. */
const isTexts = (values: unknown): boolean =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The fault of one of many requests, named by its position. */
export const inList = (field: string, position: number, { field: own, message }: GatehouseError) =>
  invalid(own === 'options' ? `${field}.${position}` : `${field}.${position}.${own}`, message);

/** @throws the fault, if there is one */
export function refuse(fault: Fault): void {
  if (fault) throw fault;
}
