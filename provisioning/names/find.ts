import { defined } from '../../table/defined.ts';
import { ENTITIES, type NamedKind } from '../../table/entities/registry.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, isId, isRef, parseRef, type Ref, subjectNode } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  edgePrefix,
  identityOf,
  type Key,
  nodeKey,
  nodesNamedPartition,
} from '../../table/keys.ts';
import { foldName } from '../../table/normalise.ts';
import type { Page, Reader } from '../../table/reader.ts';
import { MAX_PAGE } from '../../table/reader.ts';
import { guardKeyOf } from '../nodes/guards.ts';
import { lastSegment, type NodeName, readNodeName } from '../nodes/node-names.ts';

/**
 * What a person may mean by a name (ADR 0023), in at most three reads: a Query of the name, a BatchGetItem of what
 * can be known by key, and a BatchGetItem of what is above the candidates, for their paths.
 */
export interface WantedName {
  /** A name, a path of names, an id, an email or another unique value, or a reference. */
  readonly name: string;
  readonly kind: NamedKind;
  /** Only scopes or subjects of this type. An id counts as a name where the type is known; without it, of users. */
  readonly type?: string | undefined;
}

/** Something that has the name. */
export interface Candidate {
  readonly ref: string;
  readonly name: string;
  /** What it was found by. */
  readonly by: 'reference' | 'id' | 'email' | 'phone' | 'username' | 'name';
  /** The names from the root down to its own, with slashes, where it is in a scope. */
  readonly path?: string;
  readonly email?: string;
}

export interface Found {
  readonly candidates: readonly Candidate[];
  /** Whether there may be more: then one candidate is not certainly the only one. */
  readonly more: boolean;
  /** Where there is no candidate: what has the last name of the path, elsewhere. */
  readonly elsewhere: readonly Candidate[];
}

/**
 * The one thing that a name means; undefined where it is nothing, or may be several.
 *
 * @param takesIds whether an id is meant before any other name
 */
export function oneMeant({ candidates, more }: Found, takesIds: boolean): Candidate | undefined {
  // One person's email may be the id of another: whoever types it means one of them, and nobody knows which.
  const isEmail = candidates.some(({ by }) => by === 'email');
  const exact = takesIds && !isEmail ? candidates.find(({ by }) => by === 'id') : undefined;
  return exact ?? (candidates.length === 1 && !more ? candidates[0] : undefined);
}

/** As many are shown. */
const MOST = 25;
/** As many can be compared with a path by one BatchGetItem of what is above them: of roots, or of whole paths. */
const COMPARED: Readonly<Partial<Record<NamedKind, number>>> = { scope: MOST, group: MOST };
const MOST_COMPARED = 90;
/** Keys of one BatchGetItem. */
export const MAX_KEYS = 100;

/** What is read by key: the node of the text as an id or reference, the guards of users. */
interface Direct {
  readonly by: Candidate['by'];
  readonly key: Key;
  readonly ref?: Ref;
}

const USER_GUARDS = ['email', 'phone', 'username'] as const;

function directOf({ name, kind, type }: WantedName): readonly Direct[] {
  const node = (by: Candidate['by'], ref: Ref): Direct => ({ by, ref, key: nodeKey(ref) });
  const own = kind === 'subject' ? (type ?? 'user') : kind === 'scope' ? type : kind;
  const ref = isRef(name) ? refOf(kind, parseRef(name, 'name')) : undefined;
  const byId = own !== undefined && isId(name) ? refOf(kind, { type: own, id: name }) : undefined;
  return [
    ...(ref && isOfType(formatRef(ref), type) ? [node('reference', ref)] : []),
    ...(byId ? [node('id', byId)] : []),
    ...(own === 'user' ? guardsOf(name) : []),
  ];
}

/** How people know what references name, undefined for what is not there: one BatchGetItem. */
export async function shownNames(
  reader: Reader,
  wanted: readonly Pick<WantedName, 'name' | 'kind'>[],
): Promise<readonly (Pick<Candidate, 'name' | 'email'> | undefined)[]> {
  const refs = wanted.map(({ name, kind }) =>
    isRef(name) ? refOf(kind, parseRef(name, 'name')) : undefined,
  );
  const itemAt = await readAll(
    reader,
    refs.flatMap((ref) => (ref ? [nodeKey(ref)] : [])),
  );
  return refs.map((ref) => {
    const item = ref && itemAt(nodeKey(ref));
    return item ? shownOf(ref, item) : undefined;
  });
}

/** One BatchGetItem. Answers what there is at each key. */
async function readAll(reader: Reader, keys: readonly Key[]): Promise<(key: Key) => Item | undefined> {
  const items = await reader.getMany(keys);
  const found = new Map(keys.map((key, position) => [identityOf(key), items[position]]));
  return (key) => found.get(identityOf(key));
}

/** The node that a reference names, where nodes of its type are of this kind. */
function refOf(kind: NamedKind, ref: Ref): Ref | undefined {
  if (kind === 'subject') return subjectNode(ref);
  const isOfKind = kind === 'scope' ? mayBeScopeType(ref.type) : ref.type === kind;
  return isOfKind ? ref : undefined;
}

const isOfType = (ref: string, type: string | undefined): boolean =>
  type === undefined || ref.startsWith(`${type}:`);

/** The keys of the guards that a text can be the value of. */
const guardsOf = (text: string): readonly Direct[] =>
  USER_GUARDS.flatMap((field) => {
    const guard = ENTITIES.user.guards.find((each) => each.field === field);
    const key = guard && valid(() => guardKeyOf(guard, { [field]: text }));
    return key ? [{ by: field, key }] : [];
  });

/**
 * By what alone a text is looked up where many are: what has the form of an email or a phone number is one, and
 * whatever else has the form of an id is an id (ADR 0023).
 */
const BY_FORM: readonly Candidate['by'][] = ['reference', 'email', 'phone', 'id'];

/** What each text names by its form, undefined where nothing: one BatchGetItem with one key for each distinct text. */
export async function ownersOf(
  reader: Reader,
  wanted: readonly WantedName[],
): Promise<readonly (string | undefined)[]> {
  const direct = wanted.map((each) => {
    const all = directOf(each);
    return BY_FORM.map((form) => all.find(({ by }) => by === form)).find((found) => found !== undefined);
  });
  const itemAt = await readAll(
    reader,
    direct.flatMap((each) => (each ? [each.key] : [])),
  );
  return direct.map((each) => {
    const item = each && itemAt(each.key);
    if (!item) return undefined;
    return each.ref ? formatRef(each.ref) : String(item.owner);
  });
}

function valid<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'invalid') return undefined;
    throw error;
  }
}

/** A node that goes by the name that a text ends with; what is before it has to be the names above. */
interface Ending extends Omit<NodeName, 'values'> {
  readonly by: Candidate['by'];
  /** Folded; undefined where the text is the whole name. */
  readonly rest: string | undefined;
  readonly email?: string;
}

/** The text before a name that it ends with, after a slash; undefined where it is the name. */
const restBefore = (text: string, names: readonly string[]): readonly (string | undefined)[] => [
  ...(names.includes(text) ? [undefined] : []),
  ...names.filter((name) => text.endsWith(`/${name}`)).map((name) => text.slice(0, -name.length - 1)),
];

const endingsOf = ({ items }: Page<Item>, text: string): readonly Ending[] =>
  items
    .map(readNodeName)
    .flatMap(({ values, ...node }) =>
      restBefore(text, values).map((rest) => ({ ...node, by: 'name' as const, rest })),
    );

/** One Query: the nodes of a kind that go by the last name of a text. */
const query = (reader: Reader, kind: NamedKind, text: string, type?: string): Promise<Page<Item>> =>
  reader.list({
    ranges: [
      {
        partition: nodesNamedPartition(kind, lastSegment(text)),
        ...(type === undefined || kind !== 'scope' ? {} : { prefix: edgePrefix(type) }),
      },
    ],
    limit: MAX_PAGE,
  });

/** Whether the names above, from the nearest on, are what a text ends with, whole names only. */
function isAbove(rest: string | undefined, names: readonly string[]): boolean {
  let left = rest;
  for (const name of names) {
    if (left === undefined || left === name) return true;
    if (!left.endsWith(`/${name}`)) return false;
    left = left.slice(0, -name.length - 1);
  }
  return left === undefined;
}

/** What a step knows: the candidates so far, and whether some were left out. */
interface Step {
  readonly endings: readonly Ending[];
  readonly more: boolean;
}

/** The second read: what the text names by key and, of groups, what is above the scopes that they are in. */
async function byKey(
  reader: Reader,
  wanted: WantedName,
  named: readonly Ending[],
): Promise<readonly Ending[]> {
  const direct = directOf(wanted);
  const scopes = wanted.kind === 'group' ? named.flatMap(({ above }) => above.slice(0, 1)) : [];
  const decisionOf = (ref: string): Key => decisionKey(parseRef(ref, 'scope'));
  const itemAt = await readAll(reader, [...direct.map(({ key }) => key), ...scopes.map(decisionOf)]);
  const ancestorsOf = (ref: string): readonly string[] => {
    const ancestors = itemAt(decisionOf(ref))?.ancestors;
    return Array.isArray(ancestors) ? ancestors : [];
  };
  const owned = direct.flatMap(({ by, ref, key }): readonly Ending[] => {
    const item = itemAt(key);
    if (!item) return [];
    if (ref) return [endingOf(by, ref, item, wanted.kind)];
    const owner = String(item.owner);
    return [{ by, ref: owner, name: owner, above: [], rest: undefined }];
  });
  const groups = named.map((each) => ({
    ...each,
    above: each.above.flatMap((ref) => [ref, ...ancestorsOf(ref)]),
  }));
  return [...owned, ...(wanted.kind === 'group' ? groups : named)];
}

/** A node that was read by its key. Of a group, what is above its scope is not known then. */
function endingOf(by: Candidate['by'], ref: Ref, item: Item, kind: NamedKind): Ending {
  const above = kind === 'scope' ? item.ancestors : kind === 'role' ? [item.scope] : [];
  const refs = (Array.isArray(above) ? above : []).map(String).filter(isRef);
  return { by, ref: formatRef(ref), ...shownOf(ref, item), above: refs, rest: undefined };
}

const SHOWN = ['name', 'displayName', 'username', 'email', 'id'] as const;

/** The name and email by which people know a node. */
const shownOf = (ref: Ref, item: Item | undefined): Pick<Candidate, 'name' | 'email'> => ({
  name: String(SHOWN.map((name) => item?.[name]).find((value) => typeof value === 'string') ?? ref.id),
  ...(typeof item?.email === 'string' ? { email: item.email } : {}),
});

/** The second read where many have the last name: those that have the name before it say which are above. */
async function narrowed(reader: Reader, { endings, more }: Step, kind: NamedKind): Promise<Step> {
  // A name that holds a slash leaves a shorter rest: those are few, and not narrowed.
  const rest = endings.map((each) => each.rest ?? '').reduce((a, b) => (b.length > a.length ? b : a), '');
  const page = await query(reader, 'scope', rest);
  const parents = new Map(endingsOf(page, rest).map((parent) => [parent.ref, parent]));
  const kept = endings.flatMap((each): readonly Ending[] => {
    const parent = parents.get(each.above[0] ?? '');
    if (each.rest !== rest) return [each];
    if (!parent) return [];
    return [kind === 'group' ? { ...each, above: [parent.ref, ...parent.above] } : each];
  });
  return { endings: kept, more: more || page.cursor !== undefined };
}

/** Of a user that a guard names, only the reference is known before the third read. */
const isGuarded = ({ by }: Ending): boolean => USER_GUARDS.some((field) => field === by);

/** The third read: the names of what is above the candidates, and the users that guards name. */
async function compared(reader: Reader, { endings, more }: Step): Promise<Found> {
  const keys = new Map<string, Key>();
  const looked: Ending[] = [];
  for (const each of endings) {
    const refs = isGuarded(each) ? [each.ref] : each.above;
    const wanted = refs.map((ref) => nodeKey(parseRef(ref, 'ref')));
    const added = wanted.filter((key) => !keys.has(identityOf(key)));
    if (keys.size + added.length > MAX_KEYS) break;
    for (const key of added) keys.set(identityOf(key), key);
    looked.push(each);
  }
  const itemAt = await readAll(reader, [...keys.values()]);
  const nodeOf = (ref: string) => itemAt(nodeKey(parseRef(ref, 'ref')));
  const shown = looked.map((each) => {
    const above = each.above.map((ref) => String(nodeOf(ref)?.name ?? ref));
    const candidate: Candidate = {
      ref: each.ref,
      name: each.name,
      by: each.by,
      ...(above.length > 0 ? { path: [each.name, ...above].reverse().join('/') } : {}),
      ...defined({ email: each.email }),
      ...(isGuarded(each) ? shownOf(parseRef(each.ref, 'ref'), nodeOf(each.ref)) : {}),
    };
    return { candidate, fits: isAbove(each.rest, above.map(foldName)) };
  });
  const unique = (fits: boolean) =>
    [
      ...new Map(
        shown
          .filter((each) => each.fits === fits)
          .reverse()
          .map(({ candidate }) => [candidate.ref, candidate]),
      ).values(),
    ].reverse();
  const candidates = unique(true);
  return {
    candidates: candidates.slice(0, MOST),
    more: more || looked.length < endings.length || candidates.length > MOST,
    elsewhere: candidates.length === 0 ? unique(false).slice(0, MOST) : [],
  };
}

/** Finds what has a name. Throws as the reads fail. */
export async function findName(reader: Reader, wanted: WantedName): Promise<Found> {
  const { kind, type } = wanted;
  const text = foldName(wanted.name);
  const page = await query(reader, kind, text, type);
  const named = endingsOf(page, text).filter(({ ref }) => isOfType(ref, type));
  const all: Step = { endings: named, more: page.cursor !== undefined };
  const most = COMPARED[kind] ?? MOST_COMPARED;
  const inScopes = kind === 'scope' || kind === 'group';
  const isPath = all.endings.some(({ rest }) => rest !== undefined);
  const isMany = all.endings.length > most;
  const second = isMany && isPath && inScopes ? await narrowed(reader, all, kind) : all;
  const step: Step = {
    endings: second.endings.slice(0, most),
    more: second.more || second.endings.length > most,
  };
  // A path with slashes is neither an id nor a reference, and what is above groups is known then.
  const third = second === all ? { ...step, endings: await byKey(reader, wanted, step.endings) } : step;
  const found = await compared(reader, third);
  const exact = found.candidates.find(({ by }) => by === 'reference');
  return exact ? { candidates: [exact], more: false, elsewhere: [] } : found;
}
