import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { allOf, namedFrom } from '../../table/patterns/lists.ts';
import { mergedPageOf, pageOf } from '../../table/patterns/reads.ts';
import { type Command, readCommand } from '../command.ts';
import { nodeCommands } from '../kinds/node-commands.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { pageFields } from '../kinds/node-lists.ts';

/** Static policies of Verified Permissions, found by name, by the beginning of a name, or by id (seed 004). */
export const POLICY_KINDS: readonly NodeKind[] = [{ entity: ENTITIES.policy, behaviour: {} }];

const listPolicies = readCommand({
  name: 'policy.list',
  summary: 'Lists policies, those whose names begin in a certain way or all, page by page.',
  input: z.strictObject({ prefix: field.pageName.optional(), ...pageFields }),
  run: ({ reader }, { prefix, ...page }) =>
    prefix === undefined
      ? pageOf(reader, allOf('policy'), page)
      : mergedPageOf(reader, namedFrom('policy', prefix.toLowerCase()), page),
});

export const policyCommands: readonly Command[] = [...POLICY_KINDS.flatMap(nodeCommands), listPolicies];
