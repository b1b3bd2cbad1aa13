import { parseAttribute } from '../../table/decision/attributes.ts';
import { isNewer } from '../../table/form.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, isOfDecision, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { copyRelation } from './copies.ts';
import { existsWith } from './decisions.ts';
import { edgeRelations } from './edges.ts';
import { inKnownForms, newerRelation, withoutForm } from './forms.ts';
import { gateRelation } from './gates.ts';
import { guardRelations } from './guards.ts';
import { usesRelation } from './mandate-uses.ts';
import { nameRelation } from './name-relation.ts';
import { isExpired } from './node-damage.ts';
import { nodeRelations } from './nodes.ts';
import type { Relation } from './relation.ts';
import { ruleRelation } from './rules.ts';
import { secretRelation } from './secrets.ts';

/** What happened: nothing else says it. */
const RECORDS: ReadonlySet<string> = new Set([
  'log',
  'log-count',
  'operation',
  'apply',
  'applied',
  'approval',
  'mandate-uses',
  'pseudonyms',
  'erasure',
]);

/** The relations of an item that are checked from this item. */
export function relationsOf(item: Item, now: number): readonly Relation[] {
  if (isExpired(item, now)) return [];
  return isNewer(item) ? [newerRelation(item)] : relationsIn(withoutForm(item), now).map(inKnownForms);
}

function relationsIn(item: Item, now: number): readonly Relation[] {
  const parsed = parseKey(item);
  // Decision items are compared as a whole (decisions.ts).
  if (parsed && (RECORDS.has(parsed.form) || isOfDecision(parsed))) return [];
  if (parsed?.form === 'guard') return guardRelations(item);
  if (parsed?.form === 'name') return [nameRelation(item, parsed.of)];
  if (parsed?.form === 'secret') {
    const owner = nodeAt(nodeKey(parsed));
    return owner ? [secretRelation(owner.ref, owner.kind)] : edgeRelations(item);
  }
  if (parsed?.form === 'gate') return [gateRelation(item)];
  const node = nodeAt(item);
  if (node?.ref.type === 'mandate') return [...nodeRelations(item, now), usesRelation(node.ref, now)];
  if (node) return nodeRelations(item, now);
  const to = otherEnd(item);
  if (item.Type === 'Ownership' && to) return [copyRelation({ PK: item.PK, SK: item.SK }, to, now)];
  if (item.Type === 'RouteRule' && to && parsed?.form === 'edge')
    return [
      ruleRelation(to, parsed.id),
      // Readers compare the revision to know whether their rules are current.
      existsWith(apiRevisionKey(parsed.id), { PK: item.PK, SK: item.SK }, 'the revision of the routes'),
    ];
  return edgeRelations(item);
}

/** What has a partition and no node: the API of a route, the patterns of roles. */
export function unnamedBy(item: Item): readonly Ref[] {
  if (item.Type === 'Route' && typeof item.api === 'string') return [apiRef(item.api)];
  const parsed = parseKey(item);
  const pattern = (id: string): readonly Ref[] =>
    isPermissionPattern(id) ? [{ type: 'permission', id }] : [];
  if (parsed?.form === 'edge' && parsed.type === 'role') return parsed.to.flatMap(({ id }) => pattern(id));
  if (parsed?.form !== 'decision') return [];
  return Object.keys(item).flatMap((name) => {
    const said = parseAttribute(name);
    return said && 'pattern' in said ? pattern(said.pattern) : [];
  });
}

/** The node at the other end of a key that looks like a copy or a rule. */
function otherEnd(item: Key): Ref | undefined {
  const parsed = parseKey(item);
  if (parsed?.form !== 'edge' || parsed.kind !== undefined) return undefined;
  const [to] = parsed.to;
  return to;
}
