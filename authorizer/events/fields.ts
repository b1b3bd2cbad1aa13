import { Fault } from '../errors.ts';

/**
 * An object of an event. Its fields are checked by hand: validating the whole event with a schema takes 9 to
 * 33 µs per request, these checks 0.02 µs (measured). A field of the wrong type is a fault, not a refusal:
 * API Gateway never sends it.
 */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of an object, so that `constructor` is undefined. */
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

/** A text that AWS may leave out, or send as null or empty: undefined then. */
export function optionalTextIn(fields: Fields, name: string): string | undefined {
  const value = field(fields, name) ?? '';
  if (typeof value !== 'string') throw new Fault('event_malformed', `the event's ${name} is not a text`);
  return value === '' ? undefined : value;
}

/** Who sent a request: what API Gateway itself says of the connection, never what a header says. */
export interface Caller {
  /** The address that connected to API Gateway: that of the caller, or of a proxy in between. */
  readonly ip: string | undefined;
  readonly userAgent: string | undefined;
}

/**
 * Reads the caller from `requestContext.identity`, or from `requestContext.http` of HTTP API 2.0. What is
 * missing there is missing: it is not looked for elsewhere.
 */
export function readCaller(event: Fields, place: 'identity' | 'http'): Caller | undefined {
  const context = field(event, 'requestContext');
  if (context === undefined) return undefined;
  if (!isFields(context)) throw new Fault('event_malformed', "the event's requestContext is not an object");
  if (field(context, place) === undefined) return undefined;
  const fields = fieldsIn(context, place);
  return { ip: optionalTextIn(fields, 'sourceIp'), userAgent: optionalTextIn(fields, 'userAgent') };
}

/** All values under a name, as received; empty if there are none. */
export type Values = (name: string) => readonly string[];

/** For kinds of API whose events lack such a field. */
export const NO_VALUES: Values = () => [];

/**
 * The names of two maps of an event: `single` contains the last value of each name, `multiple` all values.
 */
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

/** The union of both, so that a disagreement between the two maps shows as several values. */
function together<Value>(first: readonly Value[], second: readonly Value[]): readonly Value[] {
  let all = first;
  for (const value of second) if (!first.includes(value)) all = [...all, value];
  return all;
}

/**
 * Reads a pair of maps. HTTP APIs and AppSync have the first map only. HTTP API 2.0 joins duplicates with
 * commas, which no value that is used here may contain.
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

/** A quick check that spares `toLowerCase` for most names. Names beyond ASCII always pass. */
function mayBegin(name: string, wanted: string): boolean {
  const [first, small] = [name.charCodeAt(0), wanted.charCodeAt(0)];
  return first === small || (first | 32) === small || first > 127;
}

/**
 * The values under every spelling of a name: REST APIs keep the caller's spelling, HTTP APIs use lower case.
 */
function inAnyCase(map: Fields, wanted: string): readonly unknown[] {
  let found = NOTHING;
  // `for in` avoids allocating a list of all names.
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

/** The headers of an AppSync event, which are in `requestHeaders`. */
export const readAppSyncHeaders = (event: Fields): Values =>
  readMaps(event, { ...HEADERS, single: 'requestHeaders' }, inAnyCase);

/** The query parameters, decoded by API Gateway; names are case-sensitive. */
export const readQuery = (event: Fields): Values => readMaps(event, QUERY, asItStands);

/**
 * Splits a Cookie header into `name=value` pairs (RFC 6265 section 4.2.1). Spaces around either are not part of it, as in
 * backends: otherwise `t =…; t=…` would be one token here, and another one there.
 */
const pairsIn = (header: string): readonly string[] =>
  header.split(';').map((pair) => {
    const end = pair.indexOf('=');
    return end < 0 ? pair.trim() : `${pair.slice(0, end).trim()}=${pair.slice(end + 1).trim()}`;
  });

/**
 * The cookies of an event, by case-sensitive name: from the Cookie header and from `cookies`, where HTTP API
 * 2.0 puts them. Values are not decoded, and quotes are kept.
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
