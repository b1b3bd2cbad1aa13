import { BY_SCOPE, isByScope, isSplit, isSplitting } from '../../table/decision/split.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { FORM, SPLIT_FORM } from '../../table/form.ts';
import { isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, globalKey, nodeKey } from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { type NodeKind, ownersOf } from '../kinds/node-kind.ts';
import { guardsOf } from '../nodes/guards.ts';
import { nodeNamesOf } from '../nodes/node-names.ts';
import { inheritanceRelation, meaningRelation } from './allow-only.ts';
import { propertiesRelation } from './conditions.ts';
import { copyRelation } from './copies.ts';
import { existsWith } from './decisions.ts';
import { guardOf } from './guards.ts';
import { nameRelation } from './name-relation.ts';
import { damageOf, indexDamage, isSound } from './node-damage.ts';
import { hangsOn, placeOf, rootRelation } from './place.ts';
import { attempt, changeOf, type Fault, fault, type Relation } from './relation.ts';
import { ruleRelation } from './rules.ts';
import { secretRelation } from './secrets.ts';
import { shownRights } from './shown-rights.ts';
import { unfinishedRelation } from './unfinished.ts';
import { writtenScopeRelation } from './written-scopes.ts';

/** A node's own attributes, its guards, its path, and its copies at its owners. */
export function nodeRelations(item: Item, now: number): readonly Relation[] {
  const node = nodeAt(item);
  if (!node) return [];
  const { ref, kind } = node;
  return [
    itself(ref, kind, now),
    ...(attempt(() => guardsOf(kind.entity, ref, item)) ?? []).map((guard) => guardOf(ref, kind, guard)),
    ...nodeNamesOf(kind.entity, ref, item).map((name) => nameRelation(name, ref)),
    ...(attempt(() => ownersOf(kind, item, ref)) ?? []).flatMap((owner) => [
      copyRelation({ PK: edgeKey(owner.ref, ref).PK, SK: nodeKey(ref).PK }, ref, now),
      ...(owner.isAnchor ? [] : [hangsOn(ref, owner.ref)]),
    ]),
    ...(kind.entity.secret ? [secretRelation(ref, kind)] : []),
    ...(isScopeType(ref.type) ? [placeOf(ref, item)] : []),
    ...rootRelation(ref, item),
    ...markRelation(ref, item),
    ...inheritanceRelation(ref, item),
    ...meaningRelation(ref, item),
    ...unfinishedRelation(ref, item, now),
    ...shownRights(ref, item),
    ...propertiesRelation(ref, item),
    ...writtenScopeRelation(ref, item),
    ...(ref.type === 'route' && typeof item.api === 'string' ? [ruleRelation(ref, item.api)] : []),
    ...(ref.type === 'page' || ref.type === 'permission'
      ? [existsWith(globalKey(), nodeKey(ref), 'what holds everywhere')]
      : []),
  ];
}

/** A group of a scope whose groups stand apart has the mark by which its memberships are listed so (ADR 0003). */
function markRelation(ref: Ref, { scope: named }: Item): readonly Relation[] {
  if (ref.type !== 'group' || typeof named !== 'string' || !isRef(named)) return [];
  const [key, scope] = [nodeKey(ref), parseRef(named, 'scope')];
  return [
    {
      name: `mark ${key.PK}`,
      keys: [key, nodeKey(scope), decisionKey(scope)],
      judge: ([group, node, item]) => {
        if (!group || !node || !isSplit(item) || isByScope(group)) return [];
        const mark = isSplitting(node) ? String(node[BY_SCOPE]) : undefined;
        return [
          fault('node_damaged', key, mark ?? 'the mark of its scope, which has none', {
            attribute: BY_SCOPE,
            effect: 'either',
            repair: mark === undefined ? undefined : changeOf(key, { [BY_SCOPE]: mark, [FORM]: SPLIT_FORM }),
          }),
        ];
      },
    },
  ];
}

function itself(ref: Ref, kind: NodeKind, now: number): Relation {
  const key = nodeKey(ref);
  return {
    name: `node ${key.PK}`,
    keys: [key],
    judge: ([item]) => {
      if (!item) return [];
      const faults: Fault[] = damageOf(kind, ref, item).map(({ attribute, expected, should }) =>
        fault('node_damaged', key, expected, {
          attribute,
          repair: should && changeOf(key, { [attribute]: should.be }),
        }),
      );
      // Larger than any earlier revision, so that no older plan matches it.
      if (!Number.isSafeInteger(item.rev))
        faults.push(
          fault('node_damaged', key, 'a number', { attribute: 'rev', repair: changeOf(key, { rev: now }) }),
        );
      for (const [attribute, value] of Object.entries(indexDamage(kind, ref, item))) {
        const repair = isSound(item) ? changeOf(key, { [attribute]: value }) : undefined;
        faults.push(fault('index', key, canonical(value) || 'none', { attribute, repair }));
      }
      return faults;
    },
  };
}
