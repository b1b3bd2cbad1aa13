import { useEffect, useState } from 'preact/hooks';
import { type Send, useClient } from '../../client.ts';
import { commandPages } from '../../load-page.ts';

/** Types of roots that come with the table. */
const ROOTS = ['tenant', 'client', 'account', 'enterprise', 'location', 'scope'];

/** Types of scopes that have commands of their own; added ones have those of `scope`. */
const BUILT_IN = new Set([...ROOTS.slice(0, -1), 'project', 'building', 'zone', 'device', 'workstream']);

/** The first root that the table lists: a table often has one. */
async function firstRoot(send: Send): Promise<string | undefined> {
  for (const list of ROOTS) {
    const reply = await commandPages(send, `${list}.list`, { limit: 1 })(undefined);
    const [first] = reply.ok ? reply.result.items : [];
    if (first) return String(first.root);
  }
  return undefined;
}

/** The root of a scope, which has the log of everything below it. */
async function rootOf(send: Send, scope: string): Promise<string> {
  const colon = scope.indexOf(':');
  const [type, id] = [scope.slice(0, colon), scope.slice(colon + 1)];
  const asked = BUILT_IN.has(type)
    ? { command: `${type}.read`, input: { id } }
    : { command: 'scope.read', input: { type, id } };
  const reply = await send('command', asked);
  const root = reply.ok && reply.result.ok ? reply.result.result.root : undefined;
  return typeof root === 'string' ? root : scope;
}

/** What became of a look-up: undefined while it is under way. */
export type Tenant = { readonly ref: string | undefined } | undefined;

/**
 * The tenant whose log is shown.
 *
 * @param scope the one that was chosen, or one below it; the first tenant of the table if left out
 */
export function useTenant(scope: string | undefined): Tenant {
  const { send, revision } = useClient();
  const [found, setFound] = useState<{ readonly key: string; readonly ref: string | undefined }>();
  const key = `${scope} ${revision}`;
  useEffect(() => {
    let isCurrent = true;
    (scope === undefined ? firstRoot(send) : rootOf(send, scope)).then((ref) => {
      if (isCurrent) setFound({ key, ref });
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return found?.key === key ? { ref: found.ref } : undefined;
}
