import { GatehouseError } from '../errors.ts';
import { FORM, SPLIT_FORM } from '../form.ts';
import type { Ref } from '../identifiers.ts';
import {
  apiRevisionKey,
  decisionKey,
  globalKey,
  isOfDecision,
  type Key,
  membershipsKey,
  parseKey,
} from '../keys.ts';
import { MAX_TTL_MS } from '../timing.ts';
import { type Action, create, keyOf, type Put, type Update } from '../write/action.ts';
import { inForm } from '../write/in-form.ts';
import { inPlace } from './apart.ts';
import { Attribute, groupRolesAttribute } from './attributes.ts';
import type { Stamp } from './decode.ts';
import { changeAt, MARKS, update } from './entries.ts';
import { createKnownSplits, type KnownSplits } from './split.ts';

/** What carries a stamp: decision items, and the guards that decisions look up. */
const isStamped = (key: Key): boolean => {
  const parsed = parseKey(key);
  return isOfDecision(parsed) || parsed?.form === 'guard';
};

/**
 * The actions as they are sent: what they write says its form (form.ts), and each that writes an item with a stamp
 * writes this one. The margin for
 * coherence counts from the stamp to the arrival (ADR 0014), so it is of the sending: what was read
 * before, to plan the actions, may have taken long. A sending that is planned anew has another `writeId`;
 * attempts of the same sending have the same.
 *
 * @param splits which items are known to have parts that stand apart; none when left out
 */
export const stamped = (
  actions: readonly Action[],
  { writtenAt, writeId }: Stamp,
  splits: KnownSplits = createKnownSplits(),
): readonly Action[] =>
  inPlace(actions, splits).map((given) => {
    const action = inForm(given);
    if (!isStamped(keyOf(action))) return action;
    const stamp = { [Attribute.writtenAt]: writtenAt, [Attribute.writeId]: writeId };
    if (action.kind === 'put') return { ...action, item: { ...action.item, ...stamp } };
    if (action.kind === 'update') return { ...action, set: { ...action.set, ...stamp } };
    return action;
  });

/** Changes nothing but the stamp. */
export const touchDecision = (ref: Ref): Update => changeAt(decisionKey(ref), {});

/** Longer than any reader keeps what it has read: a week. */
const EXPIRY_MS = 7 * MAX_TTL_MS;

/**
 * What lets an item that stood apart go by itself.
 *
 * @param now epoch milliseconds
 */
export const expiry = (now: number): Readonly<Record<string, number>> => ({
  [Attribute.timeToLive]: Math.ceil((now + EXPIRY_MS) / 1_000),
});

/**
 * Lets the groups of a subject at a scope, which stand apart, go by themselves when no reader can have the subject in its
 * cache any more: were they gone at once, whoever has it would take it for one without the groups that refuse.
 *
 * @param now epoch milliseconds
 */
export const expireMemberships = (subject: Ref, scope: Ref, now: number): Update =>
  update(membershipsKey(subject, scope), { set: { ...expiry(now), [FORM]: SPLIT_FORM } });

/** Takes all roles of a group from its scope. */
export const removeGroupRoles = (scope: Ref, group: string): Update =>
  changeAt(decisionKey(scope), { remove: [groupRolesAttribute(group)] });

/**
 * Lets what stands apart of a group go by itself, without its roles: as with the groups of a subject, its absence would
 * count since ever, and a role may refuse.
 *
 * @param roles those that it may still hold
 * @param now epoch milliseconds
 */
export const expireGroupRoles = (group: string, roles: ReadonlySet<string>, now: number): Update =>
  update(decisionKey({ type: 'group', id: group }), {
    set: { ...expiry(now), [FORM]: SPLIT_FORM },
    takeOut: roles.size > 0 ? { [Attribute.rolesOfGroup]: new Set(roles) } : {},
  });

/**
 * The item of what holds everywhere, while there is none. It is there before any permission is: where it is
 * missing beside one, nobody can say what is sold, and what global roles refuse.
 */
export const newGlobal = (): Put =>
  create(
    { ...globalKey(), ...MARKS },
    () => new GatehouseError('stale', 'the first permission was registered by someone else meanwhile'),
  );

/**
 * Notes that a route of the API has come, changed or gone: rules count only with the revision that they were
 * read with, and of a route that is gone nothing else is left. The stamp is all there is to it.
 */
export const changeApiRevision = (api: string): Update => update(apiRevisionKey(api), {});
