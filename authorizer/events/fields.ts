import { Fault } from '../errors.ts';

/**
 * Hand-written guards for the few fields of an event that are read: a schema of the whole event costs 9 to
 * 33 µs a request, these cost 0.02 (measured). What is not of its documented type is a fault and not a
 * refusal: API Gateway does not send it, so somebody else does, or we have not understood AWS.
 */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field of an object, its own only: `constructor` is in none. */
export const field = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

export function fieldsIn(fields: Fields, name: string): Fields {
  const value = field(fields, name);
  if (!isFields(value)) throw new Fault('event_malformed', `the event's ${name} is not an object`);
  return value;
}

export function textIn(fields: Fields, name: string): string {
  const value = field(fields, name);
  if (typeof value !== 'string' || value === '') {
    throw new Fault('event_malformed', `the event's ${name} is not a text`);
  }
  return value;
}

/** All values under a name, as they came; empty when there are none. */
export type Values = (name: string) => readonly string[];

/** For kinds of API whose events hold nothing of the sort. */
export const NO_VALUES: Values = () => [];

/** The two maps of an event: `single` holds the last value of each name, `multiple` all of them. */
interface Maps {
  readonly single: string;
  readonly multiple: string;
}

const HEADERS: Maps = { single: 'headers', multiple: 'multiValueHeaders' };
const QUERY: Maps = { single: 'queryStringParameters', multiple: 'multiValueQueryStringParameters' };

const malformed = (name: string): Fault =>
  new Fault('event_malformed', `the event's ${name} are not what AWS sends`);

function textsIn(values: readonly unknown[], name: string): readonly string[] {
  for (const value of values) if (typeof value !== 'string') throw malformed(name);
  return values as readonly string[];
}

function mapIn(event: Fields, name: string): Fields {
  const map = field(event, name) ?? {};
  if (!isFields(map)) throw malformed(name);
  return map;
}

/** What stands in the second and not in the first is added, so that no disagreement goes unnoticed. */
function together<Value>(first: readonly Value[], second: readonly Value[]): readonly Value[] {
  let all = first;
  for (const value of second) if (!first.includes(value)) all = [...all, value];
  return all;
}

/**
 * Reads one of the pairs of maps. HTTP APIs and AppSync have the first map only. HTTP API 2.0 joins duplicates by
 * commas: no value that is used here may hold one.
 */
function readMaps(
  event: Fields,
  { single, multiple }: Maps,
  valuesIn: (map: Fields, name: string) => readonly unknown[],
): Values {
  const last = mapIn(event, single);
  const all = mapIn(event, multiple);
  return (name) => textsIn(together(valuesIn(all, name), valuesIn(last, name)), single);
}

const NOTHING: readonly unknown[] = [];
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Spares most names their lower case. Beyond ASCII, it may be any. */
function mayBegin(name: string, wanted: string): boolean {
  const [first, small] = [name.charCodeAt(0), wanted.charCodeAt(0)];
  return first === small || (first | 32) === small || first > 127;
}

/** The values under every spelling of a name: REST keeps the spelling of the caller, HTTP APIs lower it. */
function inAnyCase(map: Fields, wanted: string): readonly unknown[] {
  let found = NOTHING;
  // No list of all the names: an event has thirty.
  for (const name in map) {
    if (name.length !== wanted.length || !mayBegin(name, wanted) || name.toLowerCase() !== wanted) continue;
    if (!Object.hasOwn(map, name)) continue;
    const values = listed(map[name]);
    found = found.length === 0 ? values : [...found, ...values];
  }
  return found;
}

const asItStands = (map: Fields, name: string): readonly unknown[] =>
  Object.hasOwn(map, name) ? listed(map[name]) : NOTHING;

/** The headers of an event, by lower-case names. */
export const readHeaders = (event: Fields): Values => readMaps(event, HEADERS, inAnyCase);

/** AppSync's, under a name of their own. */
export const readAppSyncHeaders = (event: Fields): Values =>
  readMaps(event, { ...HEADERS, single: 'requestHeaders' }, inAnyCase);

/** The parameters of the query, decoded by API Gateway; their names are case-sensitive. */
export const readQuery = (event: Fields): Values => readMaps(event, QUERY, asItStands);

/** `name=value` in the Cookie header, parted by semicolons (RFC 6265 section 4.2.1). */
const pairsIn = (header: string): readonly string[] => header.split(';').map((pair) => pair.trim());

/**
 * The cookies of an event, by their names as they stand: out of the Cookie header, and out of `cookies`, where
 * HTTP API 2.0 puts them. Nothing is decoded, and no quotes are taken off.
 */
export function readCookies(event: Fields, header: Values): Values {
  const apart = field(event, 'cookies') ?? NOTHING;
  if (!Array.isArray(apart)) throw malformed('cookies');
  return (name) => {
    const start = `${name}=`;
    const pairs = together(textsIn(apart, 'cookies').flatMap(pairsIn), header('cookie').flatMap(pairsIn));
    return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  };
}
