import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../../address.ts';
import { useClient } from '../../client.ts';
import { useList } from '../../list.ts';
import { commandPages } from '../../load-page.ts';
import { Empty } from '../../parts/empty.tsx';
import { Link } from '../../parts/link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { startOf } from '../../parts/rows.ts';
import { Turning } from '../../parts/turning.tsx';
import type { Entitlements } from './entitlements.ts';
import { Marks, TypeIcon } from './icons.tsx';
import {
  type AddedType,
  childSources,
  inOrder,
  levelPages,
  PAGE,
  rootSources,
  type Scope,
  type Source,
} from './levels.ts';
import { marksOf } from './marks.ts';
import { formatOpen, toggled } from './open-scopes.ts';
import type { Path } from './use-path.ts';

/** What every level of the tree is drawn with. */
export interface Drawing {
  readonly added: readonly AddedType[];
  readonly open: readonly string[];
  readonly selected: string | undefined;
  /** The path of the selected scope: what is on it is shown, on whatever page of its level it is. */
  readonly path: Path | undefined;
  readonly entitlements: Entitlements | undefined;
  readonly now: number;
  /** A scope of the tree was clicked. */
  readonly onSelect: () => void;
}

export interface LevelProps {
  readonly drawing: Drawing;
  /** Undefined for the roots. */
  readonly parent?: Scope;
  /** How many levels are above this one. */
  readonly depth: number;
  /** Whether a scope above is not active. */
  readonly isClosed: boolean;
}

/** One level of the tree, page by page. It draws one page, however many are loaded. */
export function Level({ drawing, parent, depth, isClosed }: LevelProps) {
  const { send } = useClient();
  const { state, go } = useAddress();
  const { added, path } = drawing;
  const [start, setStart] = useState(0);
  const sources = parent ? childSources(parent, added) : rootSources(added);
  const pageOf = ({ command, input }: Source, limit: number) =>
    commandPages(send, command, { ...input, limit });
  const list = useList(JSON.stringify(sources), levelPages(sources, parent, pageOf));
  const { hasMore, isLoading, error } = list;
  const items = inOrder(list.items, !hasMore);
  // A level may have become shorter.
  const first = startOf(start, PAGE, items.length);
  const page = items.slice(first, first + PAGE);
  const isLast = first + PAGE >= items.length && !hasMore;
  const turnTo = (next: number) => {
    setStart(next);
    if (next + PAGE > items.length && hasMore) list.more();
  };
  // Roots are looked for among all locations.
  const more = parent ? ' and more' : ', perhaps more';
  const total = `${items.length.toLocaleString('en')}${hasMore ? more : ''}`;
  const onPath = path?.[depth];
  const isElsewhere =
    onPath !== undefined &&
    path?.[depth - 1]?.ref === parent?.ref &&
    !isLoading &&
    !page.some(({ ref }) => ref === onPath.ref);
  useEffect(() => {
    // A table with one root has it opened, unless somebody has opened or closed something.
    const [only] = items;
    if (parent || state.open !== undefined || !only || items.length > 1) return;
    go({ open: formatOpen([only.ref]) }, { replace: true });
  }, [items.length]);
  const rest = { drawing, depth, isClosed };

  if (items.length === 0 && !hasMore && !isLoading && !error)
    return parent ? <p class="nothing">Nothing is below it.</p> : <NoScope />;
  return (
    <>
      <ul class="plain level">
        {page.map((scope) => (
          <Node key={scope.ref} scope={scope} {...rest} />
        ))}
        {isElsewhere && <Node key={onPath.ref} scope={onPath} isElsewhere {...rest} />}
      </ul>
      {isLoading && items.length === 0 && <p class="nothing">Loading…</p>}
      {error && <Problem of={error} retry={list.more} />}
      {(first > 0 || !isLast) && !error && (
        <Turning
          of={parent ? `scopes below ${parent.name}` : 'roots'}
          said={`${page.length === 0 ? 0 : first + 1}–${first + page.length} of ${total}`}
          isLoading={isLoading}
          onPrevious={first > 0 ? () => turnTo(first - PAGE) : undefined}
          // A page that is not full is filled before the next one is turned to.
          onNext={isLast ? undefined : () => turnTo(page.length < PAGE ? first : first + PAGE)}
        />
      )}
    </>
  );
}

/** A table without scopes: how to get some. */
function NoScope() {
  return (
    <Empty title="There is no scope yet">
      Write <code>scopes</code> in a manifest (the playground has one beside this, with examples to choose
      from; for a table, <code>npx gatehouse-authz apply</code> takes it).
    </Empty>
  );
}

interface NodeProps extends Omit<LevelProps, 'parent'> {
  readonly scope: Scope;
  /** Whether it is shown for its being selected, and is on a page that is not. */
  readonly isElsewhere?: boolean;
}

function Node({ scope, drawing, depth, isClosed, isElsewhere = false }: NodeProps) {
  const { open, added, selected, entitlements, now } = drawing;
  const { go } = useAddress();
  const { ref, name, type, status } = scope;
  const isOpen = open.includes(ref);
  const isLeaf = childSources(scope, added).length === 0;
  const isSelected = ref === selected;
  const row = useRef<HTMLDivElement>(null);
  // One that was found, not clicked, may be far from what is on the screen.
  useEffect(() => {
    if (isSelected) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  return (
    <li class={isElsewhere ? 'elsewhere' : undefined}>
      <div class="row" ref={row}>
        {isLeaf ? (
          <span class="toggle" />
        ) : (
          <button
            type="button"
            class="toggle"
            aria-expanded={isOpen}
            aria-label={`Below ${name}`}
            onClick={() => go({ open: formatOpen(toggled(open, ref)) }, { replace: true })}
          >
            <span aria-hidden="true">{isOpen ? '−' : '+'}</span>
          </button>
        )}
        <div class="body">
          <Link
            class="scope"
            title={ref}
            ask={{ scope: ref }}
            current={isSelected ? 'true' : undefined}
            onClick={drawing.onSelect}
          >
            <TypeIcon type={type} />
            <span>
              <bdi class="name">{name}</bdi> <span class="type">{type}</span>
            </span>
          </Link>
          <Marks of={marksOf(scope, isClosed, entitlements, now)} />
        </div>
      </div>
      {isOpen && !isLeaf && (
        <Level
          drawing={drawing}
          parent={scope}
          depth={depth + 1}
          isClosed={isClosed || status !== 'active'}
        />
      )}
    </li>
  );
}
