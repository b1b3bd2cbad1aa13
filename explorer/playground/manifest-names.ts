import type { ManifestNames, NamedKind } from '../../testing/model.ts';
import type { Reply } from '../service/index.ts';

export const NAMED_KINDS: readonly NamedKind[] = ['subject', 'scope', 'group', 'role'];

/**
 * What `name.find` found, by the names of the manifest where the table knows none: people are found in a table by their
 * email or username, and a manifest needs to give them neither.
 */
export function foundByManifest(method: string, input: unknown, reply: Reply, names: ManifestNames): Reply {
  const { command, input: wanted } = input as { readonly command?: string; readonly input?: Wanted };
  if (method !== 'command' || command !== 'name.find' || !reply.ok) return reply;
  const answer = reply.result as { readonly ok: boolean; readonly result?: { candidates?: unknown[] } };
  if (!answer.ok || answer.result?.candidates?.length !== 0) return reply;
  const kind = NAMED_KINDS.find((each) => each === wanted?.kind);
  const ref = kind && names.of(kind).get(String(wanted?.name));
  if (ref === undefined) return reply;
  const candidates = [{ ref, name: wanted?.name, by: 'name' }];
  return { ok: true, result: { ok: true, result: { candidates, more: false, elsewhere: [] } } };
}

interface Wanted {
  readonly name?: unknown;
  readonly kind?: unknown;
}
