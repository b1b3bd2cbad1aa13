import type { ComponentChildren } from 'preact';
import { useClient } from '../../client.ts';
import { useList } from '../../list.ts';
import { commandPages, type Item } from '../../load-page.ts';
import { Problem } from '../../parts/problem.tsx';

/** Items of one page of a list in the details. */
const LIMIT = 50;

/** A list of provisioning, as it is drawn. */
export interface Listed {
  readonly command: string;
  /** What is said of an empty list. */
  readonly none: string;
  /** What there are more of. */
  readonly title: string;
  readonly keyOf?: (item: Item) => string;
  readonly show: (item: Item) => ComponentChildren;
}

export interface LinesProps extends Listed {
  /** The input of the command: of what the list is. */
  readonly of: Item;
}

/** A short list of provisioning, page by page, with a button for what follows. */
export function Lines({ command, of, none, title, keyOf = ({ id }) => String(id), show }: LinesProps) {
  const { send } = useClient();
  const pages = commandPages(send, command, { ...of, limit: LIMIT });
  const list = useList(JSON.stringify([command, of]), pages);
  const { items, hasMore, isLoading, error } = list;
  return (
    <>
      {items.length > 0 && (
        <ul class="plain lines">
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
