import * as z from 'zod';
import { newScope, scopeChanges } from '../../table/decision/writes.ts';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef, SCOPE_TYPES, type ScopeType } from '../../table/entities/scope-types.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { invalid } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { DECISION, decisionKey, edgePrefix } from '../../table/keys.ts';
import { viewsOf } from '../../table/view.ts';
import { type Command, readCommand } from '../command.ts';
import { addEdge, type Edge, removeEdge } from '../edges/edge.ts';
import { ownership } from '../edges/kinds.ts';
import { type Behaviour, nodeCommands, refuseWhileOwning } from '../nodes/node-commands.ts';
import { allOf, listAllCommand, listOwned, pageFields } from '../nodes/node-lists.ts';
import { loadScope, textOf, textsOf } from '../nodes/nodes.ts';
import type { Node, Planning } from '../plan.ts';

/** The scopes: nodes that have a place in the tree of scopes and a decision item. */
const tenantOf = (node: Node): Ref => parseRef(textOf(node.item, 'root'), 'root');

/** Where a new scope stands: its ancestors from the parent up to the root. */
async function placeOf(planning: Planning, ref: Ref, parent: unknown): Promise<readonly string[]> {
  const type = SCOPE_TYPES[ref.type];
  if (typeof parent !== 'string') {
    if (!type?.root) throw invalid('parent', `a ${ref.type} cannot stand alone`);
    return [];
  }
  if (!type?.parents.includes(parseScopeRef(parent, 'parent').type)) {
    throw invalid('parent', `a ${ref.type} cannot stand under ${parent}`);
  }
  const above = await loadScope(planning, parent, 'parent');
  return [parent, ...textsOf(above.item, 'ancestors')];
}

/**
 * The edges from above: from the parent and, for what stands in a zone, from the building as well, whose
 * list holds all its zones and devices (seed 000, `BUILDING#id / ZONE#id`).
 */
function owners(owned: Ref, ancestors: readonly string[]): readonly Edge[] {
  const [parent, ...above] = ancestors.map((ref) => parseRef(ref, 'parent'));
  if (!parent) return [];
  const building = parent.type === 'zone' ? above.find(({ type }) => type === 'building') : undefined;
  return [parent, ...(building ? [building] : [])].map((owner) =>
    ownership({ owner, owned, field: 'parent' }),
  );
}

const scopeBehaviour: Behaviour = {
  tenantOf,
  onCreate: async (planning, ref, attributes) => {
    const ancestors = await placeOf(planning, ref, attributes.parent);
    const root = ancestors.at(-1) ?? formatRef(ref);
    const parent = ancestors[0];
    if (parent && attributes.combination === 'deny-overrides') {
      throw invalid('combination', 'how effects combine is chosen by the root of the tree');
    }
    const { status, combination } = attributes;
    const facts = {
      status: String(status),
      ancestors,
      ...(combination === undefined ? {} : { combination: String(combination) }),
    };
    return {
      actions: [
        newScope(ref, planning.writtenAt, facts),
        ...owners(ref, ancestors).flatMap((edge) => addEdge(edge, planning.now, planning.writtenAt)),
      ],
      derived: { ancestors, root },
      tenant: parseRef(root, 'root'),
    };
  },
  onUpdate: async (planning, node, _after, changes) => {
    if (changes.combination !== undefined && textsOf(node.item, 'ancestors').length > 0) {
      throw invalid('combination', 'how effects combine is chosen by the root of the tree');
    }
    const facts: Record<string, string> = {};
    if (typeof changes.status === 'string') facts.status = changes.status;
    if (typeof changes.combination === 'string') facts.combination = changes.combination;
    return Object.keys(facts).length > 0 ? [scopeChanges(node.ref, planning.writtenAt).set(facts)] : [];
  },
  onDelete: async (planning, node, around) => {
    refuseWhileOwning(node, around);
    return [
      { kind: 'delete', key: decisionKey(node.ref) },
      // The effects of its own roles: empty by now, and kept until here for the time of their last write.
      ...around
        .filter((item) => item.SK.startsWith(edgePrefix(DECISION)))
        .map(({ PK, SK }) => ({ kind: 'delete' as const, key: { PK, SK } })),
      ...owners(node.ref, textsOf(node.item, 'ancestors')).flatMap((edge) =>
        removeEdge(edge, planning.writtenAt),
      ),
    ];
  },
};

/** The list of one type: of all, or of those under one scope. */
function listCommand(type: ScopeName): Command {
  const { parents } = SCOPE_TYPES[type] as ScopeType;
  if (parents.length === 0) return listAllCommand(type);
  return readCommand({
    name: `${type}.list`,
    summary: `Lists every ${type}, of one ${parents.join(' or ')} or all, page by page.`,
    input: z.strictObject({ parent: field.ref.optional(), ...pageFields }),
    run: async ({ reader }, { parent, ...page }) =>
      parent === undefined
        ? viewsOf(await reader.list({ ...allOf(type), ...page }))
        : listOwned(reader, parseScopeRef(parent, 'parent'), type, page),
  });
}

type ScopeName = keyof typeof SCOPES;

export const scopeCommands: readonly Command[] = (Object.keys(SCOPES) as ScopeName[]).flatMap((type) => [
  ...nodeCommands(type, scopeBehaviour),
  listCommand(type),
]);
