import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fault } from '../service/index.ts';
import { useClient } from './client.ts';
import type { LoadPage } from './load-page.ts';

/** What has been loaded of a list. */
export interface List<T> {
  readonly items: readonly T[];
  /** Whether the list goes on after these. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Why the last page did not come; what came before it stays. */
  readonly error: Fault | undefined;
  /** Loads the next page; after an error, tries again. */
  readonly more: () => void;
}

/** A page of a list may be empty and not be the last one: at most so many are passed over for one that is asked. */
const EMPTY_PAGES = 10;

interface State<T> {
  readonly key: string | undefined;
  readonly items: readonly T[];
  readonly cursor?: string | undefined;
  readonly error?: Fault | undefined;
  readonly isLoading: boolean;
}

/**
 * A list that is loaded page by page. When the table changes, as much as was loaded is loaded again. Late answers are
 * dropped.
 *
 * @param key what the list is of: another key is another list; undefined loads nothing
 */
export function useList<T>(key: string | undefined, loadPage: LoadPage<T>): List<T> {
  const { revision } = useClient();
  const run = useRef(0);
  const [state, setState] = useState<State<T>>({ key, items: [], isLoading: key !== undefined });

  const load = async (from: Pick<State<T>, 'items' | 'cursor'>, least: number): Promise<void> => {
    run.current += 1;
    const mine = run.current;
    let { items, cursor } = from;
    let emptyPages = 0;
    do {
      const reply = await loadPage(cursor);
      if (mine !== run.current) return;
      if (!reply.ok) return setState({ key, items, cursor, error: reply.error, isLoading: false });
      emptyPages += reply.result.items.length === 0 ? 1 : 0;
      items = [...items, ...reply.result.items];
      cursor = reply.result.cursor;
    } while (cursor !== undefined && items.length < least && emptyPages < EMPTY_PAGES);
    setState({ key, items, cursor, isLoading: false });
  };

  useEffect(() => {
    const same = state.key === key ? state.items : [];
    setState({ key, items: same, isLoading: key !== undefined });
    if (key !== undefined) load({ items: [], cursor: undefined }, Math.max(1, same.length));
    return () => {
      run.current += 1;
    };
  }, [key, revision]);

  const current: State<T> = state.key === key ? state : { key, items: [], isLoading: key !== undefined };
  const { items, cursor, error, isLoading } = current;
  return {
    items,
    isLoading,
    hasMore: cursor !== undefined,
    error,
    more: () => {
      if (isLoading) return;
      setState({ key, items, cursor, isLoading: true });
      load({ items, cursor }, items.length + 1);
    },
  };
}
