import { useEffect, useRef, useState } from 'preact/hooks';
import { useClient } from '../client.ts';
import type { NameOf } from '../refs.ts';

/** What the service takes at once. */
const MOST_REFS = 100;

/** The names of references, which are asked for in batches, each reference once until the table changes. */
export function useNames(refs: readonly string[]): NameOf {
  const { send, revision } = useClient();
  const asked = useRef<{ revision: number; refs: Set<string> }>({ revision, refs: new Set() });
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  if (asked.current.revision !== revision) asked.current = { revision, refs: new Set() };
  const unknown = [...new Set(refs)].filter((ref) => !asked.current.refs.has(ref));

  useEffect(() => {
    for (const ref of unknown) asked.current.refs.add(ref);
    for (let at = 0; at < unknown.length; at += MOST_REFS)
      send('names', { refs: unknown.slice(at, at + MOST_REFS) }).then((reply) => {
        if (reply.ok) setNames((before) => ({ ...before, ...reply.result }));
      });
  }, [unknown.join(' ')]);

  return (ref) => (Object.hasOwn(names, ref) ? names[ref] : undefined);
}
