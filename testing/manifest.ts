import { derivedId } from '../provisioning/apply/entry.ts';
import { parseManifest } from '../provisioning/apply/parse.ts';
import { planManifest } from '../provisioning/apply/plan.ts';
import { type Problem, pathOf } from '../provisioning/apply/problem.ts';
import { queriesOn } from '../provisioning/apply/queries.ts';
import { referenceProblems } from '../provisioning/apply/references.ts';
import type { Manifest } from '../provisioning/apply/schema.ts';
import { COMMANDS, type Hooks, type Provisioning } from '../provisioning/index.ts';
import { GatehouseError } from '../table/errors.ts';
import { createMemoryTable } from '../table/memory/index.ts';
import { type ManifestNames, namesBy } from './manifest-names.ts';

/** One command that creates a part of a manifest. */
export interface Creation {
  /** `role`, `membership`, … */
  readonly kind: string;
  /** What it creates, for people. */
  readonly label: string;
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A manifest for a table that is empty. */
export interface PreparedManifest {
  /** Undefined where the schema refuses the data. */
  readonly manifest: Manifest | undefined;
  /** As it is sent to provisioning. */
  readonly data: unknown;
  /** All that is wrong with it. Unless there are none, it cannot be applied. */
  readonly problems: readonly Problem[];
  /** The names in it, by the references that they have once it is applied. */
  readonly names: ManifestNames;
  /** What is to be created on an empty table; none while there are problems. */
  readonly steps: readonly Creation[];
}

/**
 * Reads a manifest and plans it for an empty table, so that everything that is wrong with it is known before it is
 * applied.
 *
 * @param data what was JSON or YAML
 */
export async function prepareManifest(data: unknown): Promise<PreparedManifest> {
  const { parsed, problems } = parseManifest(data);
  const unnamed = { manifest: parsed?.manifest, data, names: namesBy(new Map()), steps: [] };
  if (!parsed) return { ...unnamed, problems };
  const wrong = [...problems, ...referenceProblems(parsed.manifest)];
  if (wrong.length > 0) return { ...unnamed, problems: wrong };
  const queries = queriesOn(createMemoryTable().reader, COMMANDS);
  const options = { queries, commands: COMMANDS, idFor: derivedId };
  const plan = await planManifest(parsed, { prune: false, shared: false }, options);
  const { steps } = plan;
  return { ...unnamed, steps, problems: plan.problems, names: namesBy(plan.state?.names ?? new Map()) };
}

/**
 * Applies a manifest to an empty table.
 *
 * @param hooks to be told of steps, and to stop between two of them
 * @returns what provisioning refuses of it; nothing was written then
 * @throws GatehouseError for a fault of the table; `unfinished` where it was stopped
 */
export async function applyManifest(
  { data }: PreparedManifest,
  provisioning: Provisioning,
  hooks: Hooks = {},
): Promise<readonly Problem[]> {
  const answer = await provisioning({ command: 'tenant.apply', input: { manifest: data } }, hooks);
  if (answer.ok) return [];
  const { code, message, field = '', retryable } = answer.error;
  // A fault of the table is not one of the manifest.
  if (!retryable && field.startsWith('manifest')) return [{ path: pathOf(field), message }];
  throw new GatehouseError(code, message, { field });
}
