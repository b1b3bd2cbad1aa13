import { GatehouseError } from '../errors.ts';
import { FORM, SPLIT_FORM } from '../form.ts';
import { parseRef } from '../identifiers.ts';
import { type Key, membershipsKey, parseKey } from '../keys.ts';
import type { Action, Expected, OtherForm, Update } from '../write/action.ts';
import { mergeActions } from '../write/merge.ts';
import { Attribute, splitAttribute } from './attributes.ts';
import { type KnownSplits, MARKERS, type Marker } from './split.ts';

/**
 * Where the parts of decision items stand is known only when an action is sent (ADR 0024): a plan says which entry is to
 * come or to go, on the item itself, and here it becomes a change of that item or of one apart. Either way the item must
 * be as it is taken to be; otherwise the command is planned anew, with what was found. So a write on an item without parts
 * reads nothing and has no further action.
 */
interface Entry {
  readonly scope: string;
  readonly group: string;
}

/** The membership that an attribute stands for. */
function entryOf(attribute: string): Entry | undefined {
  if (!attribute.startsWith('in|')) return undefined;
  const [, scope = '', group = ''] = splitAttribute(attribute);
  return { scope, group };
}

/** Where the entry stands that an attribute of a plan is for: in the item itself, or apart. */
export function entryIn(
  at: Key,
  attribute: string,
):
  | { readonly at: Key; readonly attribute: string; readonly member: string; readonly apart: Key }
  | undefined {
  const entry = entryOf(attribute);
  return entry && { at, attribute: Attribute.groups, member: entry.group, apart: apartOf(at, entry.scope) };
}

const apartOf = (at: Key, scope: string): Key => membershipsKey(subjectAt(at), parseRef(scope, 'scope'));

/** Whether an action changes entries whose place, or whose form, is not settled yet. */
export const holdsEntries = (action: Action): action is Update =>
  action.kind === 'update' &&
  (action.otherForm !== undefined ||
    [...Object.keys(action.set ?? {}), ...(action.remove ?? [])].some((name) => entryOf(name) !== undefined));

/** The actions on the items in which the entries stand: one for each item. */
export function inPlace(actions: readonly Action[], splits: KnownSplits): readonly Action[] {
  if (!actions.some(holdsEntries)) return actions;
  return mergeActions(
    actions.flatMap((action) => (holdsEntries(action) ? settled(action, splits) : [action])),
  );
}

function settled(action: Update, splits: KnownSplits): readonly Action[] {
  const update = action.otherForm ? inForm(action, action.otherForm, splits) : action;
  return holdsEntries(update) ? placed(update, splits) : [update];
}

/** The update in the form of its item. It stays one where it changes nothing: it stamps the item. */
function inForm({ otherForm: _, ...usual }: Update, other: OtherForm, splits: KnownSplits): Update {
  const isOther = splits.has(usual.key, other.attribute);
  const update: Omit<Update, 'otherForm'> = isOther ? other.update : usual;
  return { ...update, ...onForm(splits, other.attribute, isOther ? other.value : undefined, update) };
}

function placed(action: Update, splits: KnownSplits): readonly Action[] {
  const { set, remove, ...others } = action;
  const isEntry = (name: string): boolean => entryOf(name) !== undefined;
  const rest: Update = {
    ...others,
    set: Object.fromEntries(Object.entries(set ?? {}).filter(([name]) => !isEntry(name))),
    remove: (remove ?? []).filter((name) => !isEntry(name)),
  };
  const entriesOf = (names: readonly string[]) => names.flatMap((name) => entryOf(name) ?? []);
  const [come, go] = [entriesOf(Object.keys(set ?? {})), entriesOf(remove ?? [])];
  if (!splits.has(action.key, 'groupsIn'))
    return [asTaken(splits, 'groupsIn', undefined, withMembers(rest, come, go))];
  const scopes = [...new Set([...come, ...go].map(({ scope }) => scope))];
  return [
    asTaken(splits, 'groupsIn', MARKERS.groupsIn, rest),
    ...scopes.map((scope) => {
      const here = (entries: readonly Entry[]) => entries.filter((entry) => entry.scope === scope);
      const apart: Update = {
        kind: 'update',
        key: apartOf(action.key, scope),
        set: { Type: 'Decision', [FORM]: SPLIT_FORM },
        // It may be on its way out, since the subject once held its groups itself again.
        remove: here(come).length > 0 ? [Attribute.timeToLive] : [],
      };
      return withMembers(apart, here(come), here(go));
    }),
  ];
}

const subjectAt = (key: Key) => {
  const parsed = parseKey(key);
  if (parsed?.form !== 'decision')
    throw new GatehouseError('internal', `${key.PK} / ${key.SK} is no subject's`);
  return { type: parsed.type, id: parsed.id };
};

/** An update that also brings these groups into the set of groups, and takes those out. */
function withMembers(update: Update, come: readonly Entry[], go: readonly Entry[]): Update {
  const setOf = (entries: readonly Entry[]) =>
    entries.length > 0 ? { [Attribute.groups]: new Set(entries.map(({ group }) => group)) } : {};
  if (come.length > 0 && go.length > 0)
    throw new GatehouseError('internal', 'one write brings groups in and takes others out, unread');
  return {
    ...update,
    add: { ...update.add, ...setOf(come) },
    takeOut: { ...update.takeOut, ...setOf(go) },
  };
}

/** The update, on condition that the item's marker is as it is taken to be; one that changes nothing is a check. */
function asTaken(splits: KnownSplits, marker: Marker, taken: Expected, update: Update): Action {
  const asked = onForm(splits, marker, taken, update);
  return changesNothing(update) ? { kind: 'check', key: update.key, ...asked } : { ...update, ...asked };
}

/** The condition of an update, and that the item's marker is as it is taken to be. */
function onForm(
  splits: KnownSplits,
  marker: Marker,
  taken: Expected,
  { key, when, failure }: Update,
): Required<Pick<Update, 'when' | 'failure'>> {
  return {
    when: { ...when, exists: true, equals: { ...when?.equals, [marker]: taken } },
    failure: (found: Parameters<NonNullable<Update['failure']>>[0]) =>
      found && found[marker] !== taken
        ? splits.meet(key, marker, found)
        : (failure?.(found) ?? new GatehouseError('internal', 'a write failed that asks for nothing')),
  };
}

/** What an update changes beside the `Type` that each update of a decision item sets. */
const changesNothing = ({ set, remove, add, takeOut }: Update): boolean =>
  Object.keys(set ?? {}).every((name) => name === 'Type') &&
  (remove ?? []).length === 0 &&
  [add, takeOut].every((part) => Object.keys(part ?? {}).length === 0);
