import type { Item } from '../table/item.ts';
import { assertNone, type Source } from './document.ts';
import { applyManifest, prepareManifest } from './manifest.ts';
import type { ManifestNames } from './manifest-names.ts';
import { provisionedInMemory } from './memory.ts';

/** What a manifest comes to on an empty table. */
export interface AppliedManifest {
  readonly names: ManifestNames;
  /** Pages and permissions. */
  readonly permissions: readonly string[];
  /** All items of the table. */
  readonly items: readonly Item[];
}

/** The manifests applied last: tests that begin anew with the same one need not apply it again. */
const recent = new Map<string, AppliedManifest>();
const MAX_RECENT = 8;

/**
 * Applies a manifest to an empty table in memory.
 *
 * @param now epoch milliseconds: when it is applied, unless it was applied before
 * @throws ProblemsError with everything that is wrong with the manifest
 */
export async function appliedManifest(source: Source, now: number): Promise<AppliedManifest> {
  const key = JSON.stringify(source.data);
  const known = recent.get(key);
  if (known) return known;
  const prepared = await prepareManifest(source.data);
  assertNone(source, prepared.problems);
  const { items, provisioning } = provisionedInMemory(() => now);
  assertNone(source, await applyManifest(prepared, provisioning));
  const permissions = Object.keys({ ...prepared.manifest?.pages, ...prepared.manifest?.permissions });
  const applied = { names: prepared.names, permissions, items: items() };
  recent.set(key, applied);
  const [oldest] = recent.keys();
  if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
  return applied;
}
