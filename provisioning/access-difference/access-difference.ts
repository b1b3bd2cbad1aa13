import { decodeGlobal, decodePermission, decodeScope } from '../../table/decision/decode.ts';
import type { RoleTable } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { groupBy } from '../../table/group-by.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  globalKey,
  identityOf,
  type Key,
  permissionRef,
  tenantEffectsKey,
} from '../../table/keys.ts';
import { parsePermissionName } from '../../table/permission-name.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import type { Command } from '../command.ts';
import { allRoots } from '../nodes/all-roots.ts';
import { refsBelow } from '../nodes/scopes-below.ts';
import { remembered } from '../remembered.ts';
import type { Leaves } from '../routes/written-scopes.ts';
import { type Change, carryOut } from './carry-out.ts';
import { type Copy, createCopy, TooLarge } from './copy.ts';
import { createPeople, EVERYWHERE, type Top } from './people.ts';
import { createHoldings, pathOf, permissionsOf, type State, scopeKey, stateOf, subjectKey } from './state.ts';
import { type AccessSide, createSide } from './summary.ts';
import { type Touched, touchedBy } from './touched.ts';

/** Who loses and who gains what by a change, at one instant. */
export interface AccessDifference {
  readonly loses: AccessSide;
  readonly gains: AccessSide;
  /** Why it is not all: then each number is the least that is certain. Left out where it is all. */
  readonly incomplete?: string;
  /** Routes and types of resources that stay and name a scope that is deleted; left out where there is none. */
  readonly leaves?: Leaves;
}

export interface DifferenceOptions {
  /** Of the table as it is. It is only read. */
  readonly reader: Reader;
  readonly commands: ReadonlyMap<string, Command>;
  /** The instant to decide for, in epoch milliseconds. */
  readonly at: number;
  readonly bounds?: Partial<Bounds>;
}

/** How much is looked at. What is beyond is named in `incomplete`. */
interface Bounds {
  /** Items of the table that are copied. */
  readonly items: number;
  /** Calls that copy them, and as many that look for people. */
  readonly calls: number;
  /** People who may be touched. */
  readonly people: number;
  readonly scopes: number;
  /** Decisions, of the state before and of that after each. */
  readonly decisions: number;
}

const BOUNDS: Bounds = { items: 20_000, calls: 10_000, people: 2_000, scopes: 1_000, decisions: 100_000 };
/** Permissions decided together. */
const AT_ONCE = 40;

/**
 * Says who loses and who gains what when commands are carried out one after the other. They are carried out on a
 * copy in memory; the engine decides upon it as it was and as it is then. Nothing is written to the table.
 *
 * @throws GatehouseError what a command is refused with; faults of the table
 */
export const accessDifference = (
  changes: readonly Change[],
  { commands, ...options }: DifferenceOptions,
): Promise<AccessDifference> =>
  accessDifferenceBy((copy) => carryOut(changes, copy, commands, options.at), options);

/**
 * The same for whatever writes to a copy. Its writes are stamped with the instant to decide for.
 *
 * @param work throws {@link TooLarge} where the copy does
 */
export async function accessDifferenceBy(
  work: (copy: Copy) => Promise<void>,
  { reader, at, bounds }: Omit<DifferenceOptions, 'commands'>,
): Promise<AccessDifference> {
  const most = { ...BOUNDS, ...bounds };
  const copy = createCopy(reader, most);
  const [loses, gains] = [createSide(), createSide()];
  let incomplete: string | undefined;
  try {
    await work(copy);
    const people = createPeople(reader, most);
    const touched = await touchedBy(copy, people);
    if (touched.isOfTokens) incomplete = 'who shows a token that names such a group is not known';
    if (!touched.isWhole) incomplete = `more than ${most.people} people may be concerned`;
    incomplete = (await compare(copy, people.candidates, touched, { at, most, loses, gains })) ?? incomplete;
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    incomplete = error.message;
  }
  return {
    loses: await loses.sum(reader),
    gains: await gains.sum(copy.after),
    ...defined({ incomplete }),
  };
}

interface Comparing {
  readonly at: number;
  readonly most: Bounds;
  readonly loses: ReturnType<typeof createSide>;
  readonly gains: ReturnType<typeof createSide>;
}

/** Compares the decisions about the candidates. Returns why it is not all; undefined where it is. */
async function compare(
  copy: Copy,
  candidates: ReadonlyMap<string, ReadonlySet<Top>>,
  touched: Touched,
  { at, most, loses, gains }: Comparing,
): Promise<string | undefined> {
  if (candidates.size === 0) return undefined;
  const subjects = [...candidates.keys()];
  const before = await stateOf(copy.before, subjects, at);
  const after = await stateOf(copy.after, subjects, at);
  const all = await permissionsOf([copy.before, copy.after]);
  const isChanged = (key: Key) => touched.items.has(identityOf(key));
  const changed = new Set(subjects.filter((ref) => isChanged(subjectKey(ref)) || touched.subjects.has(ref)));
  const isGlobalChanged = touched.items.has(identityOf(globalKey()));
  const [isPersonalAtAll, isPersonalIfTouched] = [all, [...touched.permissions]].map((some) =>
    createPersonal(copy, some),
  ) as [Personal, Personal];
  let [scopes, decisions] = [0, 0];
  let isUnknown = false;

  async function decide(state: State, subject: string, scope: string, permissions: readonly string[]) {
    const allowed = new Set<string>();
    for (const some of batchesOf(permissions, AT_ONCE)) {
      const requests = some.map((permission) => ({ subject, permission, scope, at }));
      const { decisions: found } = await state.engine.checkMany(requests);
      for (const [position, permission] of some.entries()) {
        if (found[position]?.allowed) allowed.add(permission);
        if (found[position]?.reason === 'condition_failed') isUnknown = true;
      }
    }
    return allowed;
  }

  for await (const { scope, people } of placesOf(copy, candidates)) {
    scopes += 1;
    if (scopes > most.scopes) return `more than ${most.scopes} scopes are concerned`;
    const paths = [await pathOf(before, scope), await pathOf(after, scope)] as const;
    const isPlaceChanged = isGlobalChanged || paths.flat().some(({ ref }) => isChanged(scopeKey(ref)));
    const isPersonal = isPlaceChanged || changed.size > 0 ? isPersonalAtAll : isPersonalIfTouched;
    const root = paths.map((path) => path.at(-1)?.ref).find((ref) => ref !== undefined);
    const holdingsOf = createHoldings(paths.flat(), await isPersonal(root));
    // Of the others no answer can differ.
    const perhaps =
      isPlaceChanged || touched.permissions.size > 0
        ? people
        : [...people].filter((subject) => changed.has(subject));
    const classes = groupBy(perhaps, (subject) => {
      const from = holdingsOf(subject, before.subject(subject));
      return `${from}\n${changed.has(subject) ? holdingsOf(subject, after.subject(subject)) : from}`;
    });
    for (const [name, alike] of classes) {
      const [from, to] = name.split('\n');
      const asked = isPlaceChanged || from !== to ? all : [...touched.permissions];
      if (asked.length === 0) continue;
      decisions += asked.length;
      if (decisions > most.decisions) return `more than ${most.decisions} decisions differ perhaps`;
      const [one = ''] = alike;
      const could = await decide(before, one, scope, asked);
      const can = await decide(after, one, scope, asked);
      const only = (these: ReadonlySet<string>, those: ReadonlySet<string>) =>
        asked.filter((permission) => these.has(permission) && !those.has(permission));
      const place = { scope, people: alike };
      loses.add({ ...place, parent: paths[0][1]?.ref, permissions: only(could, can) });
      gains.add({ ...place, parent: paths[1][1]?.ref, permissions: only(can, could) });
    }
  }
  return isUnknown ? 'some conditions take values that only a request passes' : undefined;
}

/** Whether an expression looks at more of the subject than its properties and its type. */
const looksAtPerson = (when: string): boolean => /\bsubject\b(?!\s*\.\s*(?:properties|type)\b)/.test(when);

type Personal = (root: string | undefined) => Promise<boolean>;

/**
 * Says of a root whether a condition of an effect on one of the permissions, before or after, tells its subjects
 * apart by their ids.
 */
function createPersonal(copy: Copy, permissions: readonly string[]): Personal {
  const names = permissions.map((name) => parsePermissionName(name, 'permission'));
  const inPatterns = (roles: RoleTable): boolean =>
    [...roles.values()].some(({ patterns }) =>
      [...patterns.values()].some((effect) => typeof effect !== 'string' && looksAtPerson(effect.when)),
    );
  const inItems = (items: readonly (Item | undefined)[]): boolean =>
    items.some(
      (item) =>
        item && [...decodePermission(item).conditional.values()].some(({ when }) => looksAtPerson(when)),
    );
  const either = async (of: (reader: Reader) => Promise<boolean>): Promise<boolean> =>
    (await Promise.all([copy.before, copy.after].map(of))).includes(true);
  const find = (owner: Key, effects: readonly Key[], rolesOf: (item: Item) => RoleTable) =>
    either(async (reader) => {
      const [item, ...items] = await reader.getMany([owner, ...effects]);
      return (item !== undefined && inPatterns(rolesOf(item))) || inItems(items);
    });
  /** Undefined: what holds everywhere. */
  const findAt = remembered((root: string | undefined) => {
    if (root === undefined) {
      const effects = names.map((name) => decisionKey(permissionRef(name)));
      return find(globalKey(), effects, (item) => decodeGlobal(item).roles);
    }
    const ref = parseRef(root, 'root');
    const effects = names.map((name) => tenantEffectsKey(ref, name));
    return find(decisionKey(ref), effects, (item) => decodeScope(root, item).roles);
  });
  return async (root) => (await findAt(undefined)) || (await findAt(root));
}

/** Each scope at which somebody may be touched, parents first, with these people. */
async function* placesOf(copy: Copy, candidates: ReadonlyMap<string, ReadonlySet<Top>>) {
  const byTop = new Map<Top, Set<string>>();
  for (const [subject, tops] of candidates)
    for (const top of tops.has(EVERYWHERE) ? ([EVERYWHERE] as const) : tops)
      byTop.set(top, (byTop.get(top) ?? new Set()).add(subject));
  const everywhere = byTop.get(EVERYWHERE) ?? new Set<string>();
  byTop.delete(EVERYWHERE);
  const people = new Map<string, ReadonlySet<string>>();
  const add = (scope: string, some: ReadonlySet<string>): void => {
    const known = people.get(scope);
    if (known !== some) people.set(scope, known ? new Set([...known, ...some]) : some);
  };
  for (const reader of [copy.before, copy.after]) {
    if (everywhere.size > 0)
      for (const root of (await allRoots(reader)).map(formatRef))
        byTop.set(root, new Set([...(byTop.get(root) ?? []), ...everywhere]));
    for (const [top, some] of byTop) {
      add(top as string, some);
      for await (const ref of refsBelow(reader, top as string, 'active')) add(ref, some);
    }
  }
  for (const [scope, some] of people) yield { scope, people: some };
}
