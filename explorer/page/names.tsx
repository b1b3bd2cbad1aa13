import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useMemo, useRef, useState } from 'preact/hooks';
import { useClient } from './client.ts';
import type { NameOf } from './refs.ts';

const NamesContext = createContext<NameOf>(() => undefined);

/** The names of references: one that is not known yet is asked for, and shown when it has come. */
export const useNames = (): NameOf => useContext(NamesContext);

/** What the service takes at once. */
const MOST_REFS = 100;

interface NamesProps {
  readonly children: ComponentChildren;
}

/** Asks for names in batches, each reference once until the table changes. */
export function Names({ children }: NamesProps) {
  const { send, revision } = useClient();
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const asked = useMemo(() => new Set<string>(), [revision]);
  const waiting = useRef<string[]>([]);
  const ask = () => {
    const refs = waiting.current.splice(0);
    for (let at = 0; at < refs.length; at += MOST_REFS)
      send('names', { refs: refs.slice(at, at + MOST_REFS) }).then((reply) => {
        if (reply.ok) setNames((before) => new Map([...before, ...Object.entries(reply.result)]));
      });
  };
  const nameOf = useCallback<NameOf>(
    (ref) => {
      // All that one drawing of the page names is asked for together.
      if (!asked.has(ref) && waiting.current.push(ref) === 1) queueMicrotask(ask);
      asked.add(ref);
      return names.get(ref);
    },
    [asked, names],
  );
  return <NamesContext.Provider value={nameOf}>{children}</NamesContext.Provider>;
}

/** Names that the table does not have, of what does not exist yet. */
export function MoreNames({ of, children }: NamesProps & { readonly of: NameOf }) {
  const nameOf = useNames();
  return <NamesContext.Provider value={(ref) => nameOf(ref) ?? of(ref)}>{children}</NamesContext.Provider>;
}
