import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useClient } from '../../client.ts';
import { type List, useList } from '../../list.ts';
import { commandPages, type Item } from '../../load-page.ts';
import { Problem } from '../../parts/problem.tsx';

/** Items of one page of a list in the details. */
const LIMIT = 50;

/** A list of provisioning, page by page. */
export function useCommandList(command: string, input: Item): List<Item> {
  const { send } = useClient();
  return useList(JSON.stringify([command, input]), commandPages(send, command, { ...input, limit: LIMIT }));
}

export interface LinesProps<T> {
  readonly list: List<T>;
  /** What is said of an empty list. */
  readonly none: string;
  /** What there are more of. */
  readonly title: string;
  readonly keyOf: (item: T) => string;
  readonly show: (item: T) => ComponentChildren;
}

/** A short list, with a button for what follows. */
export function Lines<T>({ list, none, title, keyOf, show }: LinesProps<T>) {
  const { items, hasMore, isLoading, error } = list;
  return (
    <>
      {items.length > 0 && (
        <ul class="lines">
          {items.map((item) => (
            <li key={keyOf(item)}>{show(item)}</li>
          ))}
        </ul>
      )}
      {error && <Problem of={error} retry={list.more} />}
      {items.length === 0 && !error && <p class="nothing">{isLoading || hasMore ? 'Loading…' : none}</p>}
      {hasMore && !error && (
        <button type="button" disabled={isLoading} aria-label={`More ${title}`} onClick={list.more}>
          More
        </button>
      )}
    </>
  );
}

export interface DisclosureProps {
  readonly summary: ComponentChildren;
  /** Made when it is opened for the first time: nothing is read before. */
  readonly children: () => ComponentChildren;
  readonly isOpen?: boolean;
}

/** What is loaded on demand. */
export function Disclosure({ summary, children, isOpen = false }: DisclosureProps) {
  const [wasOpened, setOpened] = useState(isOpen);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true);
      }}
    >
      <summary>{summary}</summary>
      {wasOpened && <div class="inner">{children()}</div>}
    </details>
  );
}
