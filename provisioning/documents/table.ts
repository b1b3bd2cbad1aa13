import { type Entity, INDEXES } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { FORMS } from '../../table/form.ts';
import { nodeKey } from '../../table/keys.ts';
import { ACCESS, type Access } from './access.ts';
import { EDGES, ID } from './edges.ts';

/**
 * `docs/internals/table.md`, made from the registry, the edges and the access patterns, so that it cannot say anything
 * else.
 */
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table of Markdown. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((cells) => row(...cells))].join('\n');

const code = (text: string): string => `\`${text}\``;
const shown = (PK: string, SK: string): string => code(`${PK} / ${SK}`.replaceAll(ID, 'id'));

const entities: readonly Entity[] = Object.values(ENTITIES);

function keyOf(entity: Entity): string {
  const { PK, SK } = nodeKey({ type: entity.type, id: ID });
  if (entity.typeFrom) return 'as its type is called';
  return entity.naturalKey ? code(`${PK} / ${SK}`.replace(ID, entity.naturalKey.join(':'))) : shown(PK, SK);
}

/** The index entries of a kind, beside the list of all that every kind has. */
function indexesOf({ inTenant, inTree, byStatus, byName, listShards }: Entity): string {
  return [
    `${INDEXES.all} (${listShards} shard${listShards === 1 ? '' : 's'})`,
    ...(inTenant ? [`${INDEXES.tenant} by ${code(inTenant.tenant)}, ${code(inTenant.time)}`] : []),
    ...(inTree ? [`${INDEXES.status} by path`] : []),
    ...(byName ? [`${INDEXES.tenant} by ${code(byName)}`] : []),
    ...(byStatus ? [`${INDEXES.status} by ${code(byStatus.status)}, ${code(byStatus.date)}`] : []),
  ].join('; ');
}

const lifetimeOf = ({ expires }: Entity): string =>
  expires ? `${expires.afterDays} days after ${code(expires.from)}` : '';

const guardsOf = ({ guards }: Entity): string =>
  guards
    .map(({ kind, field, within }) => code(`${kind}#${within ? `${within.join(' ')}#` : ''}${field} / META`))
    .join(', ');

const entityRows = entities.map((entity) => [
  code(entity.type),
  entity.summary,
  keyOf(entity),
  (entity.hangsOn ?? []).map(code).join(', '),
  guardsOf(entity),
  indexesOf(entity),
  lifetimeOf(entity),
]);

const attributeRows = entities.map((entity) => [
  code(entity.type),
  Object.keys(entity.attributes.shape)
    .map((name) => (entity.secret?.includes(name) ? `${code(name)} (secret)` : code(name)))
    .join(', '),
]);

const edgeRows = EDGES.map(({ edge, of, repeated }) => [
  edge.label,
  of,
  edge.keys.map(({ PK, SK }) => shown(PK, SK)).join(', '),
  repeated,
]);

const orderOf = ({ rows, command }: Access): string => `${rows[0]} ${command}`;

const accessRows = [...ACCESS]
  .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  .map(({ command, by, reads, rows }) => [
    code(command),
    by.map(code).join(', '),
    reads.join(', then '),
    rows.join(', '),
  ]);

export const tableAsMarkdown = (): string => `## Forms of keys

${markdownTable(
  ['form', 'key', 'what it is'],
  [
    ['node', '`TYPE#id / META`', 'an entity'],
    ['edge', '`FROM#id / TO#id`', 'an edge, written in both directions where both are asked'],
    ['ownership', '`OWNER#id / TYPE#id`', 'a node, repeated whole in the partition of what it hangs on'],
    ['guard', '`KIND#value / META`', 'makes a value unique, and finds its owner'],
    [
      'name',
      '`NAMES#KIND#name / TYPE#id`',
      'finds scopes, groups, roles and subjects by a name that is not unique (ADR 0023)',
    ],
    [
      'decision item',
      '`TYPE#id / DECISION`',
      'what a check reads of a user, a scope, a permission (ADR 0003)',
    ],
    ['tenant effects', '`ROOT#id / DECISION#PAGE#name`', "what a tenant's own roles do to one permission"],
    [
      'memberships',
      '`USER#id / DECISION#IN#SCOPE#id`',
      'the groups of a subject at one scope, where they stand apart of its decision item (ADR 0003)',
    ],
    [
      'roles of a group',
      '`GROUP#id / DECISION`',
      'the roles of a group, where they stand apart of the decision item of its scope (ADR 0003)',
    ],
    [
      'external groups',
      '`ROOT#id / DECISION#ISSUER#iss`',
      "which groups of a tenant the groups in an issuer's tokens are (ADR 0043)",
    ],
    [
      'invariants',
      '`ROOT#id / DECISION#INVARIANTS`',
      'what must never be true in a tenant, with the revision of what it rests on (ADR 0047)',
    ],
    ['gate', '`ROOT#id / META#GATE#n`', 'what creations by SCIM rest on, and that it is still so (ADR 0044)'],
    ['API revision', '`API#name / DECISION`', 'which write changed a route of the API last'],
    ['secret', '`SECRET#TYPE#id / META`', 'what a node keeps apart, as password hashes (ADR 0016)'],
    [
      'pseudonyms',
      '`SECRET#TYPE#id / PSEUDONYMS`',
      'the key of a subject’s pseudonyms in the log (ADR 0031)',
    ],
    ['erasure', '`SECRET#USER#id / ERASED`', 'that a user was erased, and when (ADR 0016)'],
    ['log', '`AUDIT#owner#shard / time#id`', 'audit records, kept a year'],
    ['log count', '`AUDIT_COUNT#owner#shard / month#counter`', 'how many audit records there are (ADR 0031)'],
    ['operation', '`OPERATION#id / META`', 'makes a repeated command harmless'],
    ['apply', '`OPERATION#id / APPLY`', 'a manifest that is being applied, and until when (ADR 0018)'],
    ['last apply', '`OPERATION#APPLY#ROOT#id / META`', 'which apply was the last one of a tenant (ADR 0018)'],
    ['uses', '`OPERATION#MANDATE#id / META`', 'what the uses of a mandate with a budget come to (ADR 0048)'],
    ['approval', '`APPROVAL#id / META`', 'a command that waits for another operator (ADR 0032)'],
  ],
)}

## Forms of items

Every item says its form in \`v\`. One that says none is of form 1, but for decision items, which have always said it.

${markdownTable(
  ['this release', 'forms'],
  [
    ['reads', `1 to ${FORMS.reads}`],
    ['writes', `${FORMS.usual}, and ${FORMS.writes} where a part of a decision item stands apart`],
  ],
)}

What is of a newer form is refused with \`newer_form\` where it decides, and left as it is by every command, by
\`gatehouse verify --repair\` and by \`gatehouse migrate\` ([releasing.md](releasing.md#forms-of-items)).

## Indexes

${markdownTable(
  ['index', 'partition', 'sorted by', 'serves'],
  [
    [INDEXES.all, '`LIST#TYPE#shard`', 'id', 'all of a type'],
    [INDEXES.all, '`LIST#GUARD#shard`', 'the guard’s `PK`', 'all guards, for `gatehouse verify`'],
    [
      INDEXES.all,
      '`LIST#NAMES#shard`',
      'the name’s `PK`',
      'all names, for `gatehouse verify`, and suggestions',
    ],
    [INDEXES.tenant, '`TENANT#id`', '`TYPE#time#id`', 'what a tenant has, by type and time'],
    [INDEXES.tenant, '`USER#id`', '`AUDIT#time#id`', 'what a user did'],
    [INDEXES.tenant, '`NAMES#TYPE#shard`', '`name#id`', 'names with a beginning'],
    [INDEXES.status, '`STATUS#TYPE#status#shard`', '`date#id`', 'what has a status, by date'],
    [INDEXES.status, '`TREE#shard`', 'hashes of the path', 'the scopes of a tree, and all below a scope'],
  ],
)}

## Entities

${markdownTable(['entity', 'what it is', 'key', 'hangs on', 'guards', 'indexes', 'goes after'], entityRows)}

## Attributes

What a command may give; \`id\`, \`createdAt\` and \`updatedAt\` come beside. Types and enums: [commands](../commands.md).

${markdownTable(['entity', 'attributes'], attributeRows)}

## Edges

${markdownTable(['edge', 'what it links', 'keys', 'repeated in the decision item of'], edgeRows)}

## Access patterns

Each is a command of provisioning ([all of them](../commands.md)); lists come in pages with a cursor.
\`npm run rows\` runs the row of each id.

${markdownTable(['command', 'by', 'reads', 'rows'], accessRows)}`;
