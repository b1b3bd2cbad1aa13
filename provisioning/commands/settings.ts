import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import { settingKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { type Command, readCommand } from '../command.ts';
import { type EdgeKind, edgeCommands } from '../kinds/edge-commands.ts';
import { by } from '../kinds/lists.ts';
import { loadRef, optionalText, rootOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { readValue, settingsInForce, VALUE_TYPES, type ValueType } from '../nodes/settings.ts';
import type { Node, Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/** Settings of scopes and users: text with a type, which those below may or may not override. */
const valueType = z.enum(VALUE_TYPES);
const value = z
  .string()
  .max(8_192)
  .refine((text) => text.isWellFormed(), 'holds half a character')
  .describe('text of the value, at most 8192 characters');
const owner = field.ref.describe('reference such as `building:ID`, or `user:ID`');

const ownerOf = (text: string): Ref => {
  const ref = parseRef(text, 'scope');
  return ref.type === 'user' ? ref : parseScopeRef(text, 'scope');
};

/** The same, once it is known that there are scopes of its type. */
const knownOwner = async (reader: Reader, text: string): Promise<Ref> =>
  ownerOf(text).type === 'user' ? ownerOf(text) : readScopeRef(reader, text, 'scope');

/** A user's settings are logged where the user is at home. */
const tenantOf = ({ ref, item }: Node): Ref | undefined => {
  if (ref.type !== 'user') return rootOf({ ref, item });
  const tenant = optionalText(item, 'tenant');
  return tenant === undefined ? undefined : parseRef(tenant, 'tenant');
};

const homeOf = async (planning: Planning, text: string): Promise<Ref | undefined> =>
  tenantOf(await loadRef(planning, await knownOwner(planning.reader, text), 'scope'));

const refuseValue = (of: Attributes): void => {
  readValue(String(of.value), of.valueType as ValueType);
};

const settingKind: EdgeKind = {
  type: 'setting',
  summary: 'a setting of a scope or a user',
  identity: z.strictObject({ scope: owner, key: field.pageName }),
  details: z.strictObject({
    value,
    valueType: valueType.optional(),
    isOverridable: z.boolean().optional(),
    description: field.text(1_000).optional(),
    updatedBy: field.id.optional(),
  }),
  changes: z.strictObject({
    value: value.optional(),
    valueType: valueType.optional(),
    isOverridable: z.boolean().optional(),
    description: field.text(1_000).nullable().optional(),
    updatedBy: field.id.nullable().optional(),
  }),
  refuse: refuseValue,
  keyOf: (of) => settingKey(ownerOf(String(of.scope)), String(of.key)),
  complete: async (planning, input) => {
    const valueType = input.valueType ?? 'string';
    refuseValue({ ...input, valueType });
    return {
      attributes: { id: planning.newId(), valueType, isOverridable: input.isOverridable !== false },
      tenant: await homeOf(planning, String(input.scope)),
    };
  },
  tenantOf: (planning, item) => homeOf(planning, String(item.scope)),
  lists: [
    by({ scope: owner }, async ({ scope }, reader) => edgesFrom(await knownOwner(reader, scope), 'setting')),
  ],
};

const resolve = readCommand({
  name: 'setting.resolve',
  summary:
    'Reads the settings in force at a scope, or for a user there, each with its type and where it comes from.',
  input: z.strictObject({
    keys: z.array(field.pageName).min(1).max(20),
    scope: field.ref,
    user: field.id.optional(),
  }),
  run: async ({ reader }, { keys, scope, user }) => ({
    settings: await settingsInForce(
      reader,
      keys,
      await readScopeRef(reader, scope, 'scope'),
      user === undefined ? undefined : { type: 'user', id: user },
    ),
  }),
});

export const settingCommands: readonly Command[] = [...edgeCommands(settingKind), resolve];
