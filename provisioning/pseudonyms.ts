import { createCipher } from '../table/bytes.ts';
import { defined } from '../table/defined.ts';
import { entityOf } from '../table/entities/registry.ts';
import { GatehouseError, stale } from '../table/errors.ts';
import {
  formatRef,
  isRef,
  isSubjectNode,
  isUlidOrUuid,
  parseSubjectRef,
  type Ref,
} from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { type Key, pseudonymKey } from '../table/keys.ts';
import type { Reader } from '../table/reader.ts';
import { type Action, create } from '../table/write/action.ts';
import { canonical } from './canonical.ts';
import type { AuditEntry } from './plan.ts';

/**
 * Pseudonyms in the place of personal values (ADR 0031): `pseudonym:user:ID:…`, the value under a random key of
 * that subject. Whoever may read the key gets the value back. Without the key nobody does.
 */
type Attributes = Readonly<Record<string, unknown>>;

/** With which a pseudonym begins, and nothing that is sent (input.ts). */
export const PSEUDONYM = 'pseudonym:';
/** Of where a request came from. */
export const OF_ORIGIN = ['ipAddress', 'userAgent', 'metadata'] as const;
const NONE: readonly string[] = [];

/** The personal attributes of a kind of entity. */
export const personalOf = (type: string): readonly string[] =>
  type === 'setting' ? ['value', 'description'] : (entityOf(type)?.personal ?? NONE);

const asSubject = (text: unknown): Ref | undefined => {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return isRef(text) ? parseSubjectRef(text, 'user') : { type: 'user', id: text };
  } catch {
    return undefined;
  }
};

/** Whose personal values an entity has; undefined: nobody's. */
export function personOf({
  entity,
  before,
  after,
}: Pick<AuditEntry, 'entity' | 'before' | 'after'>): Ref | undefined {
  const of = { ...before, ...after };
  if (entity.type === 'user' || entity.type === 'subject') return entity;
  if (['session', 'token', 'scim-user'].includes(entity.type)) return asSubject(of.user);
  if (entity.type === 'mandate') return asSubject(of.subject);
  if (entity.type === 'notification') return asSubject(of.userId);
  const { scope } = of;
  return entity.type === 'setting' && typeof scope === 'string' && scope.startsWith('user:')
    ? asSubject(scope)
    : undefined;
}

/** The user behind an actor that is named by a reference, or by a ULID or UUID. */
export const actorUser = (actor: string | undefined): Ref | undefined => {
  if (actor === undefined) return undefined;
  if (isUlidOrUuid(actor)) return { type: 'user', id: actor };
  return isRef(actor) ? asSubject(actor) : undefined;
};

export interface Sealed {
  readonly entries: readonly AuditEntry[];
  readonly origin: Attributes | undefined;
  readonly result: Attributes;
  /** Keys that are made. */
  readonly actions: readonly Action[];
}

/** How many keys a transaction with these entries may have to make. */
export const peopleIn = (entries: readonly AuditEntry[]): number =>
  new Set(entries.flatMap((entry) => (hasPersonal(entry) ? [formatRef(personOf(entry) as Ref)] : []))).size;

const hasPersonal = (entry: AuditEntry): boolean =>
  personOf(entry) !== undefined &&
  personalOf(entry.entity.type).some(
    (name) => entry.before?.[name] !== undefined || entry.after?.[name] !== undefined,
  );

/** Encrypts texts under one secret. */
export interface Encryption {
  readonly encrypt: (text: string) => Promise<string>;
}

/** A subject's key, and the action that makes it where there was none. */
interface SubjectKey {
  readonly cipher: Promise<Encryption>;
  readonly made?: Action;
}

/** The keys that the parts of one transaction share. */
export type SubjectKeys = Map<string, SubjectKey>;

/** What a record and the recorded answer of an operation hold, with pseudonyms for personal values. */
export async function sealed(
  given: {
    readonly entries: readonly AuditEntry[];
    readonly actor?: string | undefined;
    readonly origin?: Attributes | undefined;
    readonly result: Attributes;
  },
  {
    reader,
    newSecret,
    encryption = createCipher,
    keys = new Map(),
    readsAll = true,
  }: {
    readonly reader: Reader;
    readonly newSecret: () => string;
    /** False: a subject that is made is taken to have no key yet; where it has one, the write fails as `stale`. */
    readonly readsAll?: boolean;
    /** Makes what encrypts under a secret; WebCrypto when left out. */
    readonly encryption?: ((secret: string) => Promise<Encryption>) | undefined;
    readonly keys?: SubjectKeys;
  },
): Promise<Sealed> {
  const used = new Map<string, SubjectKey>();
  /** Pseudonyms that were made, by attribute and value. */
  const known = new Map<string, string>();

  const actor = actorUser(given.actor);
  const isNew = ({ entity, before, after }: AuditEntry): boolean =>
    !readsAll &&
    isSubjectNode(entity) &&
    before === undefined &&
    after?.createdAt !== undefined &&
    entity.id === after.id;
  const people = new Map<string, Ref>();
  const made = new Set<string>();
  for (const entry of given.entries) {
    const person = hasPersonal(entry) ? personOf(entry) : undefined;
    if (person) people.set(formatRef(person), person);
    if (person && isNew(entry)) made.add(formatRef(person));
  }
  const asked = [...people].filter(([name]) => !made.has(name));
  // Read for each part by itself: nobody waits for the read of another one.
  const items = await reader.getMany(asked.map(([, ref]) => pseudonymKey(ref)));
  const found = new Map(asked.map(([name], at) => [name, items[at]]));

  async function cipherOf(ref: Ref): Promise<Encryption> {
    const name = formatRef(ref);
    const at = pseudonymKey(ref);
    const isKnown = used.has(name) || found.has(name) || made.has(name);
    const item = isKnown ? found.get(name) : await reader.get(at);
    const key = keys.get(name) ?? keyAt(at, item);
    keys.set(name, key);
    used.set(name, key);
    return key.cipher;
  }
  function keyAt(at: Key, item: Item | undefined): SubjectKey {
    const key = typeof item?.key === 'string' ? item.key : newSecret();
    const cipher = encryption(key);
    if (item) return { cipher };
    const made = create({ ...at, Type: 'PseudonymKey', key }, () => stale('the key of pseudonyms', 'user'));
    return { cipher, made };
  }
  async function seal(ref: Ref, attribute: string, value: unknown): Promise<unknown> {
    if (value === undefined || value === null) return value;
    const { encrypt } = await cipherOf(ref);
    const text = `${PSEUDONYM}${formatRef(ref)}:${await encrypt(JSON.stringify([attribute, value]))}`;
    known.set(`${attribute} ${canonical(value)}`, text);
    return text;
  }
  async function sealAll<A extends Attributes | undefined>(
    of: A,
    ref: Ref | undefined,
    names: readonly string[],
  ): Promise<A> {
    if (!of || !ref) return of;
    const personal = names.filter((name) => name in of);
    const texts = await Promise.all(personal.map((name) => seal(ref, name, of[name])));
    return { ...of, ...Object.fromEntries(personal.map((name, at) => [name, texts[at]])) };
  }

  const entries: AuditEntry[] = [];
  for (const entry of given.entries) {
    const person = personOf(entry);
    const names = personalOf(entry.entity.type);
    const [before, after, details] = [
      await sealAll(entry.before, person, names),
      await sealAll(entry.after, person, names),
      await sealAll(entry.details, actor ?? person, OF_ORIGIN),
    ];
    entries.push({ ...entry, ...defined({ before, after, details }) });
  }
  const [first] = given.entries;
  const origin = await sealAll(given.origin, actor ?? (first && personOf(first)), OF_ORIGIN);
  const result =
    known.size === 0
      ? given.result
      : (mapNamed(
          given.result,
          (name, value) => known.get(`${name} ${canonical(value)}`) ?? value,
        ) as Attributes);
  const actions = [...used.values()].flatMap(({ made }) => made ?? []);
  return { entries, origin, result, actions };
}

/** A copy in which each named value is what `map` makes of it. */
export function mapNamed(value: unknown, map: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapNamed(each, map));
  if (typeof value !== 'object' || value === null || value instanceof Set) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const mapped = map(name, each);
      return [name, mapped === each ? mapNamed(each, map) : mapped];
    }),
  );
}

/** The same with the values that pseudonyms stand for, as far as their keys are there. */
export async function revealed<T>(reader: Reader, value: T): Promise<T> {
  const found = new Map<string, unknown>();
  mapNamed([value], (_name, each) => {
    if (isPseudonym(each)) found.set(each, each);
    return each;
  });
  if (found.size === 0) return value;
  const refs = new Map(
    [...found.keys()].flatMap((text) => (refIn(text) ? [[refIn(text), text]] : []) as [string, string][]),
  );
  const names = [...refs.keys()];
  const items = await reader.getMany(names.map((name) => pseudonymKey(parseSubjectRef(name, 'user'))));
  const ciphers = new Map(
    await Promise.all(
      names.map(async (name, at) => {
        const key = items[at]?.key;
        return [name, typeof key === 'string' ? await createCipher(key) : undefined] as const;
      }),
    ),
  );
  for (const text of found.keys()) {
    const plain = await ciphers.get(refIn(text) ?? '')?.decrypt(text.slice(text.lastIndexOf(':') + 1));
    if (plain !== undefined) found.set(text, (JSON.parse(plain) as [string, unknown])[1]);
  }
  return mapNamed(value, (_name, each) => (isPseudonym(each) ? found.get(each) : each)) as T;
}

/** Not for a permission such as `pseudonym:resolve:record`: no reference is in it. */
export const isPseudonym = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(PSEUDONYM) && refIn(value) !== undefined;

/** The reference in a pseudonym; undefined for a text that only looks like one. */
function refIn(text: string): string | undefined {
  const ref = text.slice(PSEUDONYM.length, text.lastIndexOf(':'));
  try {
    return isRef(ref) ? formatRef(parseSubjectRef(ref, 'user')) : undefined;
  } catch (error) {
    if (error instanceof GatehouseError) return undefined;
    throw error;
  }
}
