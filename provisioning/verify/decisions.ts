import type { Item } from '../../table/item.ts';
import { edgeKey, GLOBAL, globalKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { readEdge } from '../edges/read-edge.ts';
import { BOOKKEEPING, effectOf, isApiRevision, isMarked, isSetAttribute } from './decision-form.ts';
import { ANY_GROUP, type Fact, factsOf, factsOfEdge, factsOfNode } from './facts.ts';
import { nodeAt } from './kinds.ts';
import { isSound } from './node-damage.ts';
import {
  attempt,
  canonical,
  type Fault,
  type Found,
  identity,
  isExpired,
  isSameKey,
  type Relation,
} from './relation.ts';
import { sourcesOf } from './sources.ts';

/** What decision items hold against what nodes and edges say. */
type Coordinates = Pick<Fact, 'at' | 'attribute' | 'member'>;

const told = ({ attribute, member }: Coordinates): string =>
  member === undefined ? attribute : `${attribute} ${member}`;

/** A flag that is down is as good as none. */
const heldIn = (item: Item, { attribute, member }: Coordinates): unknown => {
  const value = item[attribute];
  if (member === undefined) return value === false ? undefined : value;
  return value instanceof Set && value.has(member) ? member : undefined;
};

/** One fact, by whichever side it was come upon. */
function factRelation(fact: Coordinates, sources: readonly Key[], now: number, onlyLess = false): Relation {
  const judge = ([item, ...from]: readonly Found[]): readonly Fault[] => {
    if (isExpired(item, now)) return [];
    const facts = attempt(() => factsOf(from));
    // What is so damaged that nothing can be read from it is said elsewhere.
    if (!facts) return [];
    const found = facts.find(
      ({ at, attribute, member }) =>
        isSameKey(at, fact.at) && attribute === fact.attribute && member === fact.member,
    );
    const wanted = found && (found.member ?? found.value);
    const ttl = facts.find(({ at, attribute }) => isSameKey(at, fact.at) && attribute === 'ttl')?.value;
    const repairOf = () =>
      from.every((source) => !source || isSound(source)) ? ('rebuild' as const) : undefined;
    if (!item) {
      if (wanted === undefined || (typeof ttl === 'number' && ttl * 1_000 <= now)) return [];
      const isOwned = parseKey(fact.at)?.form === 'tenant-effects';
      const expected = 'what nodes and edges say';
      return [
        {
          code: 'decision_missing',
          key: fact.at,
          expected,
          effect: isOwned ? 'either' : 'closes',
          repair: repairOf(),
        },
      ];
    }
    const held = heldIn(item, fact);
    if (canonical(held) === canonical(wanted)) return [];
    const how = wanted === undefined ? 'more' : held === undefined ? 'less' : 'differs';
    if (onlyLess && how !== 'less') return [];
    return [
      {
        code: `decision_${how}`,
        key: fact.at,
        attribute: told(fact),
        expected: how === 'more' ? 'nothing says so' : `${canonical(wanted)} says ${placesOf(from)}`,
        effect: effectOf(how, fact.attribute, held, wanted),
        repair: repairOf(),
      },
    ];
  };
  return {
    name: `fact ${fact.at.PK} ${fact.at.SK} ${told(fact)} ${onlyLess ? sources.map(identity).join() : ''}`,
    keys: [fact.at, ...sources],
    judge,
  };
}

const placesOf = (items: readonly Found[]): string => {
  const [first] = items.filter((item) => item !== undefined);
  return first ? `${first.PK} / ${first.SK}` : 'nothing';
};

/** What must be in decision items because of this node or edge. */
export function factRelations(item: Item, now: number): readonly Relation[] {
  const node = nodeAt(item);
  const edge = node ? undefined : attempt(() => readEdge(item));
  const facts = attempt(() =>
    node ? factsOfNode(node.ref, item) : edge ? factsOfEdge(item, ANY_GROUP) : [],
  );
  return (facts ?? []).flatMap((fact) => {
    if (fact.attribute === 'denials') return edge ? [factRelation(fact, edge.keys, now, true)] : [];
    const parsed = parseKey(fact.at);
    const sources = parsed && attempt(() => sourcesOf(parsed, fact.attribute, fact.member));
    return sources ? [factRelation(fact, sources, now)] : [];
  });
}

/** What must be true because this decision item says so, and that it is well-formed. */
export function decisionRelations(item: Item, now: number): readonly Relation[] {
  const parsed = parseKey(item);
  if (!parsed || !('id' in parsed)) return [];
  const own = parsed.form === 'decision' || parsed.form === 'tenant-effects' ? parsed : undefined;
  if (!own) return [];
  const hasNode = own.type !== GLOBAL.type && !isApiRevision(parsed);
  const node = nodeKey(own);
  const at = { PK: item.PK, SK: item.SK };
  const relations: Relation[] = [
    {
      name: `decision ${identity(at)}`,
      keys: hasNode ? [at, node] : [at],
      judge: ([found, owner]) => {
        if (!found || isExpired(found, now)) return [];
        const faults: Fault[] = isMarked(found)
          ? []
          : [
              {
                code: 'decision_damaged',
                key: at,
                attribute: 'v',
                expected: 'Type, v, writtenAt and writeId',
                effect: 'closes',
                repair: 'rebuild',
              },
            ];
        if (hasNode && !owner) {
          // Effects of global roles may have been there before what they are about, and of gone tenants nobody asks.
          const expected = `a node ${node.PK} / ${node.SK}`;
          faults.push({ code: 'decision_without_node', key: at, expected, effect: 'opens' });
        }
        for (const [attribute, value] of Object.entries(found)) {
          if (attribute === 'denials' && isSetAttribute(parsed, attribute)) {
            if (!(value instanceof Set)) faults.push(malformed(at, attribute));
          } else if (
            (attribute === 'denials' || !BOOKKEEPING.has(attribute)) &&
            !isWellFormed(parsed, attribute, value)
          ) {
            faults.push(malformed(at, attribute));
          }
        }
        return faults;
      },
    },
  ];
  for (const [attribute, value] of Object.entries(item)) {
    if (BOOKKEEPING.has(attribute) || value === false || !isWellFormed(parsed, attribute, value)) continue;
    for (const member of value instanceof Set ? value : [undefined]) {
      const sources = sourcesOf(parsed, attribute, member as string | undefined) ?? [];
      relations.push(
        factRelation({ at, attribute, ...(member === undefined ? {} : { member }) }, sources, now),
      );
    }
  }
  return relations;
}

/** Whether the attribute is one that such an item may have, in the form that it has there. */
function isWellFormed(
  parsed: NonNullable<ReturnType<typeof parseKey>>,
  attribute: string,
  value: unknown,
): boolean {
  if (attribute === 'denials') return false;
  const isSet = isSetAttribute(parsed, attribute);
  if (isSet !== value instanceof Set) return false;
  const members = value instanceof Set ? [...value] : [undefined];
  return members.every(
    (member) =>
      (member === undefined || typeof member === 'string') &&
      attempt(() => sourcesOf(parsed, attribute, member)) !== undefined,
  );
}

const malformed = (key: Key, attribute: string): Fault => ({
  code: 'decision_damaged',
  key,
  attribute,
  expected: 'no such attribute, or in another form',
  effect: 'closes',
  repair: 'rebuild',
});

/** Beside anything that can be checked stands the item of what holds everywhere. */
export const globalRelation = (permission: Key): Relation => ({
  name: 'global',
  keys: [globalKey(), permission],
  judge: ([found, node]) =>
    found || !node
      ? []
      : [
          {
            code: 'decision_missing',
            key: globalKey(),
            expected: 'what holds everywhere',
            effect: 'closes',
            repair: 'rebuild',
          },
        ],
});

export const administratorKeys = (of: Parameters<typeof edgeKey>[0]): readonly Key[] => [
  edgeKey(of, GLOBAL),
  edgeKey(GLOBAL, of),
];
