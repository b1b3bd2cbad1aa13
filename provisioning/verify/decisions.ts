import { Attribute } from '../../table/decision/attributes.ts';
import { ONLY_GROWS } from '../../table/decision/entries.ts';
import { isSplit } from '../../table/decision/split.ts';
import { isNewer, SPLIT_FORM } from '../../table/form.ts';
import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  GLOBAL,
  identityOf,
  type Key,
  nodeKey,
  type ParsedKey,
  parseKey,
} from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import {
  BOOKKEEPING,
  effectOf,
  isApiRevision,
  isMarked,
  isWellFormed,
  mayHave,
  outlivesNode,
} from './decision-form.ts';
import { type Around, type Derived, derive, nameOf, originOf, scopesAround } from './derive.ts';
import type { Gathered } from './gather.ts';
import { type Fault, type Found, fault, isPast, type Relation } from './relation.ts';

/** Compares the decision items of a partition with what nodes and edges say. */
export function decisionFaults(gathered: Gathered, around: Around, now: number): readonly Fault[] {
  const { ref, stored } = gathered;
  // What a newer form says is not known.
  const isNew = (item: Found): boolean => item !== undefined && isNewer(item);
  if (scopesAround(gathered).some((key) => isNew(around.find(key)))) return [];
  const derived = derive(gathered, around);
  const own = stored.get(identityOf(decisionKey(ref)));
  return [...new Set([...stored.keys(), ...derived.items.keys()])].flatMap((name): readonly Fault[] => {
    const found = stored.get(name);
    const wanted = derived.items.get(name);
    const parsed = parseKey((found ?? wanted) as Key);
    if (!parsed || isNew(found)) return [];
    // A credential goes by itself; what has no time-to-live does not, whatever it says.
    const mayGo = gathered.node ? isPast(wanted, now) : mayHave(parsed, Attribute.timeToLive);
    if (isPast(found, now) && mayGo) return [];
    const isApart = parsed.form === 'memberships' || ref.type === 'group';
    // One that goes by itself: nothing is said in it any more, or what says it is about to go.
    const isGoing = !derived.said.has(name) || gathered.node?.deletingSince !== undefined;
    if (isApart && isGoing && found?.[Attribute.timeToLive] !== undefined) return [];
    // What a migration has left that was stopped counts for nothing.
    if (parsed.form === 'memberships' && !isSplit(own)) return [];
    if (ref.type === 'group' && found) {
      const misplaced = placeFaults(gathered, found);
      if (misplaced.length > 0 || !isSplit(around.find(scopeNamedBy(found) as Key))) return misplaced;
    }
    if (found)
      return [
        ...nodeFaults(gathered, parsed, found),
        ...differencesIn(gathered, parsed, found, wanted, derived),
      ];
    if (!wanted || !derived.said.has(name) || isPast(wanted, now)) return [];
    const isOwn = parsed.form === 'decision' && !isApart;
    return [
      fault('decision_missing', wanted, 'what nodes and edges say', {
        effect: isOwn ? 'closes' : 'either',
        repair: repairOf(gathered, name),
      }),
    ];
  });
}

const repairOf = ({ isUnread, unsound }: Gathered, name: string) =>
  isUnread || unsound.has(name) ? undefined : ('rebuild' as const);

function nodeFaults({ ref, node }: Gathered, parsed: ParsedKey, found: Item): readonly Fault[] {
  if (node || ref.type === GLOBAL.type || isApiRevision(parsed) || outlivesNode(parsed)) return [];
  const { PK, SK } = nodeKey(ref);
  return [fault('decision_without_node', found, `a node ${PK} / ${SK}`, { effect: 'opens' })];
}

/** The decision item of the scope that the item of a group names. */
function scopeNamedBy(item: Item): Key | undefined {
  const named = item[Attribute.scopeOfGroup];
  return typeof named === 'string' && isRef(named) ? decisionKey(parseRef(named, 'scope')) : undefined;
}

function placeFaults({ node }: Gathered, found: Item): readonly Fault[] {
  if (!scopeNamedBy(found)) return [malformed(found, Attribute.scopeOfGroup, 'the scope of the group')];
  if (!node || node.scope === found[Attribute.scopeOfGroup]) return [];
  return [malformed(found, Attribute.scopeOfGroup, String(node.scope))];
}

/** Members of a set; of a value, itself. The group of everyone is both. */
function partsOf(attribute: string, value: unknown): ReadonlyMap<string | undefined, unknown> {
  // A flag that is false counts as absent.
  if (value === undefined || value === false) return new Map();
  if (value instanceof Set) return new Map([...value].map((member) => [String(member), String(member)]));
  return new Map([[attribute === Attribute.everyone ? String(value) : undefined, value]]);
}

/** How an item differs from what was derived, attribute by attribute and member by member. */
function differencesIn(
  gathered: Gathered,
  parsed: ParsedKey,
  found: Item,
  wanted: Item | undefined,
  { origins }: Derived,
): readonly Fault[] {
  const name = identityOf(found);
  const isOfForm = wanted?.[Attribute.version] !== SPLIT_FORM || found[Attribute.version] === SPLIT_FORM;
  const faults: Fault[] = isMarked(found)
    ? []
    : [malformed(found, Attribute.version, 'Type, v, writtenAt and writeId')];
  if (!isOfForm) faults.push(malformed(found, Attribute.version, `form ${SPLIT_FORM}`));
  for (const attribute of new Set([...Object.keys(found), ...Object.keys(wanted ?? {})])) {
    if (BOOKKEEPING.has(attribute)) continue;
    const [has, should] = [found[attribute], wanted?.[attribute]];
    const fits = has === undefined || isWellFormed(parsed, attribute, has, found);
    if (!fits) faults.push(malformed(found, attribute));
    // A mark says in which form the item is, and so what is derived.
    if (!mayHave(parsed, attribute)) continue;
    const [stored, said] = [partsOf(attribute, has), partsOf(attribute, should)];
    const isSet = should instanceof Set;
    for (const member of new Set([...stored.keys(), ...said.keys()])) {
      const [is, be] = [isSet && !(has instanceof Set) ? undefined : stored.get(member), said.get(member)];
      if (canonical(is) === canonical(be)) continue;
      const how = be === undefined ? 'more' : is === undefined ? 'less' : 'differs';
      // What a source says that cannot be read may be this; some only grow; and damage is reported already.
      if (how === 'more' && (gathered.isUnread || !fits || ONLY_GROWS.has(attribute))) continue;
      const origin = origins.get(originOf(name, nameOf(attribute, member)));
      faults.push(
        fault(`decision_${how}`, found, how === 'more' ? 'nothing says so' : expected(be, origin), {
          attribute: nameOf(attribute, member),
          effect: effectOf(how, attribute, is, be),
          repair: repairOf(gathered, name),
        }),
      );
    }
  }
  return faults;
}

const expected = (value: unknown, origin: Key | undefined): string =>
  `${canonical(value)} says ${origin ? `${origin.PK} / ${origin.SK}` : 'an edge'}`;

const malformed = (key: Key, attribute: string, expected = 'no such attribute, or in another form'): Fault =>
  fault('decision_damaged', key, expected, { attribute, effect: 'closes', repair: 'rebuild' });

/** Where the item at `source` exists, this decision item exists. */
export const existsWith = (key: Key, source: Key, expected: string): Relation => ({
  name: `exists ${key.PK}`,
  keys: [key, source],
  judge: ([found, cause]) =>
    found || !cause
      ? []
      : [fault('decision_missing', key, expected, { effect: 'closes', repair: 'rebuild' })],
});
