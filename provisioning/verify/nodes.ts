import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/patterns/stretches.ts';
import { viewOf } from '../../table/view.ts';
import type { Action, Value } from '../../table/write/action.ts';
import { ruleKey, ruleOf } from '../commands/routes.ts';
import { type NodeKind, ownersOf } from '../kinds/node-kind.ts';
import { guardsOf } from '../nodes/guards.ts';
import { administratorKeys, globalRelation } from './decisions.ts';
import { isScope } from './facts.ts';
import { nodeAt } from './kinds.ts';
import { damageOf, indexDamage, isPath, isSound } from './node-damage.ts';
import {
  attempt,
  canonical,
  differences,
  type Fault,
  type Found,
  identity,
  isExpired,
  isInstant,
  type Relation,
} from './relation.ts';

/** What must hold of a node: of itself, its guards, its place, and the copies of it where it hangs. */

/** A change of a node counts up its revision, as every other does. */
const change = (key: Key, changes: Readonly<Record<string, Value | undefined>>): readonly Action[] => [
  {
    kind: 'update',
    key,
    set: Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Record<
      string,
      Value
    >,
    remove: Object.keys(changes).filter((name) => changes[name] === undefined),
    ...('rev' in changes ? {} : { add: { rev: 1 } }),
  },
];

export function nodeRelations(item: Item, now: number): readonly Relation[] {
  const node = nodeAt(item);
  if (!node) return [];
  const { ref, kind } = node;
  return [
    itself(ref, kind, now),
    ...(attempt(() => guardsOf(kind.entity, ref, item)) ?? []).map((guard) => guardOf(ref, kind, guard)),
    ...(attempt(() => ownersOf(kind, item, ref)) ?? []).flatMap((owner) => [
      copyRelation({ PK: edgeKey(owner.ref, ref).PK, SK: nodeKey(ref).PK }, ref, now),
      ...(owner.isAnchor ? [] : [hangsOn(ref, owner.ref)]),
    ]),
    ...(isScope(ref) ? [placeOf(ref, item)] : []),
    ...rootRelation(ref, item),
    ...shownRights(ref, item),
    ...(ref.type === 'route' && typeof item.api === 'string' ? [ruleRelation(ref, item.api)] : []),
    ...(ref.type === 'page' || ref.type === 'permission' ? [globalRelation(nodeKey(ref))] : []),
  ];
}

function itself(ref: Ref, kind: NodeKind, now: number): Relation {
  const key = nodeKey(ref);
  return {
    name: `node ${key.PK}`,
    keys: [key],
    judge: ([item]) => {
      if (!item) return [];
      const faults: Fault[] = damageOf(kind, ref, item).map(({ attribute, expected, should }) => ({
        code: 'node_damaged',
        key,
        attribute,
        expected,
        effect: 'none',
        repair: should && change(key, { [attribute]: should.be }),
      }));
      if (!Number.isSafeInteger(item.rev)) {
        // Larger than any that it can have had: no plan that was made before is taken for one made now.
        const repair = change(key, { rev: now });
        faults.push({
          code: 'node_damaged',
          key,
          attribute: 'rev',
          expected: 'a number',
          effect: 'none',
          repair,
        });
      }
      for (const [attribute, value] of Object.entries(indexDamage(kind, ref, item))) {
        const repair = isSound(item) ? change(key, { [attribute]: value }) : undefined;
        faults.push({
          code: 'index',
          key,
          attribute,
          expected: canonical(value) || 'none',
          effect: 'none',
          repair,
        });
      }
      return faults;
    },
  };
}

const bare = ({ createdAt: _, updatedAt: __, ...item }: Item) => item;

/** The guard of a value of this node. */
function guardOf(ref: Ref, kind: NodeKind, guard: Item): Relation {
  const key = { PK: guard.PK, SK: guard.SK };
  return {
    name: `guard ${key.PK} of ${formatRef(ref)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, found]) => {
      const wanted = node && attempt(() => guardsOf(kind.entity, ref, node))?.find(({ PK }) => PK === key.PK);
      if (!wanted || !node) return [];
      const dates = {
        createdAt: found?.createdAt ?? node.createdAt,
        updatedAt: found?.updatedAt ?? node.updatedAt,
      };
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: { ...wanted, ...dates } }]
        : undefined;
      if (!found)
        return [
          { code: 'guard_missing', key, expected: `owner ${formatRef(ref)}`, effect: 'closes', repair },
        ];
      const different = [
        ...differences(bare(found), bare(wanted)),
        ...['createdAt', 'updatedAt'].filter((name) => !isInstant(found[name])),
      ];
      return different.map((attribute): Fault => {
        const given = found.owner;
        // Somebody else's: that there are two owners is nothing to be decided here.
        const isOthers = typeof given === 'string' && given !== wanted.owner && isOwner(given);
        const written = { ...wanted, createdAt: node.createdAt, updatedAt: node.updatedAt };
        const put: readonly Action[] = [
          {
            kind: 'put',
            item:
              isInstant(dates.createdAt) && isInstant(dates.updatedAt) ? { ...wanted, ...dates } : written,
          },
        ];
        return {
          code: 'guard_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: attribute === 'owner' ? 'opens' : 'none',
          repair: isOthers ? undefined : repair && put,
        };
      });
    },
  };
}

const isOwner = (text: string): boolean => /^[a-z][a-z-]*:[^#]+$/.test(text);

/** Whose a guard says that it is, and whether that node has such a value. */
export function guardRelations(guard: Item): readonly Relation[] {
  const key = { PK: guard.PK, SK: guard.SK };
  const [type = '', id = ''] = String(guard.owner).split(/:(.*)/s);
  const owner = { type, id };
  const at = attempt(() => nodeAt(nodeKey(owner)));
  const fault = (repair: readonly Action[] | undefined, effect: Fault['effect']): readonly Fault[] => [
    { code: 'guard_without_owner', key, expected: 'no guard: nobody has this value', effect, repair },
  ];
  if (!at) {
    return [
      {
        name: `owner ${key.PK}`,
        keys: [key],
        judge: ([found]) => (found?.owner === guard.owner ? fault(undefined, 'none') : []),
      },
    ];
  }
  return [
    {
      name: `owner ${key.PK}`,
      keys: [key, nodeKey(owner), decisionKey(owner)],
      judge: ([found, node, decision]) => {
        if (!found || found.owner !== guard.owner) return [];
        const remove: readonly Action[] = [{ kind: 'delete', key }];
        // A decision item without its node: it is the node that was lost.
        if (!node) return fault(decision ? undefined : remove, 'none');
        const values = attempt(() => guardsOf(at.kind.entity, owner, node));
        if (!values) return fault(undefined, 'none');
        return values.some(({ PK }) => PK === key.PK) ? [] : fault(remove, 'opens');
      },
    },
    ...(attempt(() => [guardOf(owner, at.kind, guard)]) ?? []),
  ];
}

/** What a node hangs on is there. */
const hangsOn = (ref: Ref, owner: Ref): Relation => ({
  name: `hangs ${formatRef(ref)} ${formatRef(owner)}`,
  keys: [nodeKey(ref), nodeKey(owner)],
  judge: ([node, above]) =>
    !node || above
      ? []
      : [
          {
            code: 'edge_dangling',
            key: nodeKey(ref),
            expected: `${formatRef(owner)}, on which it hangs`,
            effect: 'none',
          },
        ],
});

/** What is under way with a node passes, and what edges say of it is not repeated. */
const PASSING = ['deletingSince', 'movingTo', 'roles', 'isAdmin'];
const repeatedOf = (node: Item, ref: Ref, key: Key): Item => {
  const shown = viewOf(node);
  for (const name of PASSING) delete shown[name];
  return {
    ...shown,
    ...(node.ttl === undefined ? {} : { ttl: node.ttl }),
    ...key,
    Type: OWNERSHIP,
    owned: formatRef(ref),
  };
};

/** The copy of a node in the partition of what it hangs on. */
export function copyRelation(key: Key, ref: Ref, now: number): Relation {
  const at = nodeAt(nodeKey(ref));
  return {
    name: `copy ${identity(key)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, copy]) => {
      if (isExpired(node ?? copy, now)) return [];
      if (!node) {
        const expected = `the node ${nodeKey(ref).PK}, of which it is a copy`;
        return copy ? [{ code: 'edge_dangling', key, expected, effect: 'none' }] : [];
      }
      const owners = at && attempt(() => ownersOf(at.kind, node, ref));
      if (!owners) return [];
      const isOwned = owners.some((owner) => attempt(() => edgeKey(owner.ref, ref).PK) === key.PK);
      if (!isOwned) {
        if (!copy) return [];
        const repair: readonly Action[] | undefined = isSound(node) ? [{ kind: 'delete', key }] : undefined;
        return [
          { code: 'copy_left_over', key, expected: 'no copy: it does not hang here', effect: 'none', repair },
        ];
      }
      const wanted = repeatedOf(node, ref, key);
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: wanted }]
        : undefined;
      if (!copy)
        return [{ code: 'copy_missing', key, expected: 'a copy of the node', effect: 'none', repair }];
      return differences(withoutPassing(copy), wanted).map(
        (attribute): Fault => ({
          code: 'copy_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: 'none',
          repair,
        }),
      );
    },
  };
}

const withoutPassing = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).filter(([name]) => !PASSING.includes(name) || name === 'movingTo'),
  ) as Item;

/** The path of a scope is that of its parent and one more, up to one that is being moved. */
function placeOf(ref: Ref, read: Item): Relation {
  const key = nodeKey(ref);
  const names = [read.parent, ...(Array.isArray(read.ancestors) ? read.ancestors : [])];
  const above = [
    ...new Set(names.filter((name): name is string => typeof name === 'string' && isRef(name))),
  ].slice(0, 32);
  const keys = above.map((name) => nodeKey(parseRef(name, 'ancestors')));
  return {
    name: `place ${key.PK} ${above.join()}`,
    keys: [key, ...keys],
    judge: ([node, ...ancestors]) => {
      // Moved meanwhile: the next look at it will tell.
      if (!node || canonical([node.parent, node.ancestors]) !== canonical([read.parent, read.ancestors]))
        return [];
      const byName = new Map(above.map((name, n) => [name, ancestors[n]]));
      if (!isPath(node.ancestors)) return [pathFault(key, wantedPath(ref, node, byName))];
      const path = node.ancestors as unknown[];
      let at: Item = node;
      for (const name of path) {
        const next = byName.get(String(name));
        if (at.parent !== name || !next) return [pathFault(key, wantedPath(ref, node, byName))];
        at = next;
        if (at.movingTo !== undefined) return [];
      }
      if (at.parent !== undefined) return [pathFault(key, wantedPath(ref, node, byName))];
      const root = path.at(-1) ?? formatRef(ref);
      return node.root === root
        ? []
        : [
            {
              code: 'node_of_other_place',
              key,
              attribute: 'root',
              expected: String(root),
              effect: 'either',
              repair: change(key, { root: String(root) }),
            },
          ];
    },
  };
}

const pathFault = (key: Key, path: readonly string[] | undefined): Fault => ({
  code: 'node_of_other_place',
  key,
  attribute: 'ancestors',
  expected: path ? path.join(' < ') : 'the path of its parent, and its parent',
  effect: 'either',
  repair: path && change(key, { ancestors: path }),
});

/** From what the parent says, as long as the node itself is not in doubt about who that is. */
function wantedPath(ref: Ref, node: Item, byName: ReadonlyMap<string, Found>): readonly string[] | undefined {
  const { parent } = node;
  const first: unknown = Array.isArray(node.ancestors) ? node.ancestors[0] : undefined;
  if (parent === undefined) return node.root === formatRef(ref) ? [] : undefined;
  const above = typeof parent === 'string' ? byName.get(parent) : undefined;
  if (!above || !isPath(above.ancestors) || above.movingTo !== undefined) return undefined;
  const inDoubt =
    typeof first === 'string' &&
    first !== parent &&
    byName.get(first) !== undefined &&
    first !== above.parent;
  return inDoubt ? undefined : [String(parent), ...(above.ancestors as string[])];
}

/** What names its tenant names that of the place where it is. */
const PLACES: Readonly<Record<string, string>> = {
  group: 'scope',
  tool: 'workstream',
  subscription: 'scope',
  license: 'account',
};
function rootRelation(ref: Ref, read: Item): readonly Relation[] {
  const attribute = PLACES[ref.type];
  const named = attribute === undefined ? undefined : read[attribute];
  if (typeof named !== 'string' || !isRef(named)) return [];
  const [key, place] = [nodeKey(ref), nodeKey(parseRef(named, 'scope'))];
  return [
    {
      name: `root ${key.PK}`,
      keys: [key, place],
      judge: ([node, above]) => {
        if (!node || !above || node.root === above.root) return [];
        const repair = isSound(above) ? change(key, { root: String(above.root) }) : undefined;
        return [
          {
            code: 'node_repeats',
            key,
            attribute: 'root',
            expected: String(above.root),
            effect: 'none',
            repair,
          },
        ];
      },
    },
  ];
}

/** A subject shows its global roles, and whether it is an administrator. */
function shownRights(ref: Ref, item: Item): readonly Relation[] {
  if (ref.type !== 'user' && ref.type !== 'technical-user') return [];
  return [
    ...(item.isAdmin === undefined ? [] : [shownAdmin(ref)]),
    ...(item.roles instanceof Set ? [...item.roles] : []).flatMap(
      (id) => attempt(() => shownRole(ref, String(id))) ?? [],
    ),
  ];
}

const shownFault = (key: Key, attribute: string, expected: string, repair: readonly Action[]): Fault => ({
  code: 'node_repeats',
  key,
  attribute,
  expected,
  effect: 'none',
  repair,
});

export function shownAdmin(ref: Ref): Relation {
  const key = nodeKey(ref);
  return {
    name: `admin ${key.PK}`,
    keys: [key, ...administratorKeys(ref)],
    judge: ([node, ...edges]) => {
      if (!node) return [];
      const isAdmin = edges.some((edge) => edge !== undefined);
      const isShown = isAdmin ? node.isAdmin === true : node.isAdmin === undefined || node.isAdmin === false;
      return isShown ? [] : [shownFault(key, 'isAdmin', String(isAdmin), change(key, { isAdmin }))];
    },
  };
}

export function shownRole(ref: Ref, id: string): Relation {
  const key = nodeKey(ref);
  const held = { type: 'role', id };
  return {
    name: `shown ${key.PK} ${id}`,
    keys: [key, edgeKey(ref, held), edgeKey(held, ref)],
    judge: ([node, ...edges]) => {
      if (!node) return [];
      const has = edges.some((edge) => edge !== undefined);
      const isShown = node.roles instanceof Set && node.roles.has(id);
      if (has === isShown) return [];
      const members = new Set([id]);
      const repair: Action =
        node.roles === undefined || node.roles instanceof Set
          ? {
              kind: 'update',
              key,
              add: has ? { rev: 1, roles: members } : { rev: 1 },
              takeOut: has ? {} : { roles: members },
            }
          : { kind: 'update', key, add: { rev: 1 }, set: { roles: members } };
      return [shownFault(key, `roles ${id}`, has ? 'this role' : 'not this role', [repair])];
    },
  };
}

/** The rule that the authorizer reads, of a route. */
export function ruleRelation(ref: Ref, api: string): Relation {
  const key = ruleKey(api, ref);
  return {
    name: `rule ${identity(key)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, rule]) => {
      if (!node || node.api !== api) {
        const repair: readonly Action[] = [{ kind: 'delete', key }];
        return rule
          ? [
              {
                code: 'rule_left_over',
                key,
                expected: 'no rule: there is no such route',
                effect: 'opens',
                repair: node ? repair : undefined,
              },
            ]
          : [];
      }
      const wanted: Item = { ...key, Type: 'RouteRule', id: ref.id, ...ruleOf(node) };
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: wanted }]
        : undefined;
      if (!rule)
        return [{ code: 'rule_missing', key, expected: 'the rule of its route', effect: 'either', repair }];
      return differences(rule, wanted).map(
        (attribute): Fault => ({
          code: 'rule_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: 'either',
          repair,
        }),
      );
    },
  };
}

/** The node at the other end of a key that looks like a copy or a rule. */
export function otherEnd(item: Key): Ref | undefined {
  const parsed = parseKey(item);
  if (parsed?.form !== 'edge' || parsed.kind !== undefined) return undefined;
  const [to] = parsed.to;
  return to;
}
