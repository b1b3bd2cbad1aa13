import type { ComponentChildren } from 'preact';
import { useClient } from '../../client.ts';
import type { Change } from '../../commands/changes.ts';
import { useList } from '../../list.ts';
import { commandPages, type Item } from '../../load-page.ts';
import { useNames } from '../../names.tsx';
import { Problem } from '../../parts/problem.tsx';

/** Items of one page of a list in the details. */
const LIMIT = 50;

export interface LinesProps {
  /** A command that lists. */
  readonly of: Change;
  /** What is said of an empty list. */
  readonly none: string;
  /** What there are more of. */
  readonly title: string;
  readonly keyOf?: (item: Item) => string;
  /** @param nameOf the name of what an item names; the reference until it is known */
  readonly show: (item: Item, nameOf: (ref: string) => string) => ComponentChildren;
}

/** A short list of provisioning, page by page, with a button for what follows. */
export function Lines({ of, none, title, keyOf = idOf, show }: LinesProps) {
  const { send } = useClient();
  const pages = commandPages(send, of.command, { ...of.input, limit: LIMIT });
  const list = useList(JSON.stringify([of.command, of.input]), pages);
  const { items, hasMore, isLoading, error } = list;
  const nameOf = useNames();
  return (
    <>
      {items.length > 0 && (
        <ul class="lines">
          {items.map((item) => (
            <li key={keyOf(item)}>{show(item, (ref) => nameOf(ref) ?? ref)}</li>
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

const idOf = ({ id }: Item): string => String(id);
