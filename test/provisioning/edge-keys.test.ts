import { expect, test } from 'vitest';
import { NODE_KINDS } from '../../provisioning/commands/node-kinds.ts';
import { EDGES, ID } from '../../provisioning/documents/edges.ts';
import { readEdge } from '../../provisioning/edges/read-edge.ts';
import { nodeOf, ownersOf } from '../../provisioning/kinds/node-kind.ts';
import { addOwner } from '../../provisioning/nodes/ownership.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { type Key, parseKey } from '../../table/keys.ts';
import { keyOf } from '../../table/write/action.ts';

/**
 * An edge and what a node owns stand in the same partition. Were they of the same form of key, one would be in
 * the way of the other, as the grants of technical users in the account that owns them once were.
 */
const SCOPES = [...Object.keys(SCOPE_TYPES), 'campus'].map((type) => `${type}:${ID}`);
const SUBJECTS = [ID, `technical-user:${ID}`, `device:${ID}`];

type Ends = Readonly<Record<string, readonly string[]>>;

/** What an attribute that names the end of an edge can stand for. */
const ENDS: Ends = {
  user: SUBJECTS,
  scope: [...SCOPES, `user:${ID}`],
  permission: ['page', 'module:action:resource', 'module:*:*'],
};

/** What one that names an owner can. */
const OWNERS: Ends = {
  user: SUBJECTS,
  scope: [...SCOPES, 'global', 'tenant'],
  parent: SCOPES,
  scopes: SCOPES,
  subject: [`user:${ID}`],
  actor: [`technical-user:${ID}`, `agent:${ID}`],
};

/** The attributes with every combination of these. */
const variantsOf = (
  attributes: Readonly<Record<string, unknown>>,
  of: Ends,
): readonly Readonly<Record<string, unknown>>[] =>
  Object.entries(attributes).reduce<Record<string, unknown>[]>(
    (variants, [name, own]) =>
      (of[name] ?? [own]).flatMap((value) => variants.map((each) => ({ ...each, [name]: value }))),
    [{}],
  );

/** A key without its ids: `account / technical-user`. Undefined for what is no edge. */
function formOf(key: Key): string | undefined {
  const parsed = parseKey(key);
  if (parsed?.form !== 'edge') return undefined;
  const { type, kind, to } = parsed;
  return [type, ...(kind === undefined ? [] : [kind]), ...to.map((ref) => ref.type)].join(' / ');
}

const formsOf = (keys: readonly Key[]): ReadonlySet<string> =>
  new Set(keys.map(formOf).filter((form) => form !== undefined));

function ownershipForms(): ReadonlySet<string> {
  const owned = NODE_KINDS.flatMap((kind) => {
    const { entity } = kind;
    const ref = nodeOf(entity, { type: 'campus', id: ID, name: ID });
    const hangsOn = {
      ...Object.fromEntries((entity.hangsOn ?? []).map((field) => [field, `${field}:${ID}`])),
      ...(entity.type === 'group' ? { everyone: true } : {}),
    };
    return variantsOf(hangsOn, OWNERS)
      .flatMap((attributes) =>
        ownersOf(kind, { ...attributes, ancestors: [attributes.parent ?? []].flat() }, ref),
      )
      .flatMap((owner) => addOwner(owner, ref, {}).map(keyOf));
  });
  return formsOf(owned);
}

test('every kind of node is checked', () => {
  expect(NODE_KINDS.map(({ entity }) => entity.type).sort()).toEqual(Object.keys(ENTITIES).sort());
});

test.each(EDGES.map(({ edge }) => [edge.label, edge] as const))(
  '%s: no key of it is of a form that ownership has',
  (label, { attributes }) => {
    const forms = formsOf(
      variantsOf(attributes, ENDS).flatMap((variant) => {
        const edge = readEdge({ PK: '', SK: '', Type: label, ...variant });
        return edge
          ? [...edge.keys, ...edge.entries.map(({ at }) => at), ...(edge.grant ?? []).map(keyOf)]
          : [];
      }),
    );
    expect(forms.size).toBeGreaterThan(0);
    const owned = ownershipForms();
    expect([...forms].filter((form) => owned.has(form))).toEqual([]);
  },
);

test('the forms of ownership are known, those of anchors and of types that were added too', () => {
  expect([...ownershipForms()]).toEqual(
    expect.arrayContaining([
      ...['account / technical-user', 'account / license', 'technical-user / token', 'tenant / role'],
      ...['role / role', 'global / role', 'global / group', 'global / scope-type'],
      ...['subject / token', 'campus / group', 'zone / campus'],
    ]),
  );
});
