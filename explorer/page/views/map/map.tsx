import { useEffect, useRef } from 'preact/hooks';
import { useAddress } from '../../address.ts';
import { useClient, useNow } from '../../client.ts';
import { useList } from '../../list.ts';
import { commandPages } from '../../load-page.ts';
import { Warning } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { QuestionFields } from '../../parts/question.tsx';
import { Details } from './details.tsx';
import { addedTypeOf } from './levels.ts';
import { formatOpen, readOpen } from './open-scopes.ts';
import { Level } from './tree.tsx';
import { LIMIT, useEntitlements } from './use-entitlements.ts';
import { usePath } from './use-path.ts';

/** The tree of scopes, and what is at the selected one. */
export function MapView() {
  const { state, go } = useAddress();
  const { send } = useClient();
  const now = useNow();
  const types = useList('scope-type.list', commandPages(send, 'scope-type.list', { limit: 1_000 }));
  const { value: entitlements, error: unpaid, retry: retryEntitlements } = useEntitlements(now);
  const { unread = [] } = entitlements ?? {};
  const { scope: selected } = state;
  const { value: path, error, retry } = usePath(selected);
  const open = readOpen(state.open);

  // The address names a scope: what is above it is opened, unless somebody has opened or closed it here.
  useEffect(() => {
    const above = path && path.at(-1)?.ref === selected ? path.slice(0, -1).map(({ ref }) => ref) : [];
    if (above.some((ref) => !open.includes(ref)))
      go({ open: formatOpen([...open, ...above]) }, { replace: true });
  }, [path?.at(-1)?.ref, selected]);

  const details = useRef<HTMLElement>(null);
  const isClicked = useRef(false);
  // Where there is no room beside the tree, the details are below it.
  useEffect(() => {
    const { current: part } = details;
    if (isClicked.current && part && part.getBoundingClientRect().top > innerHeight) part.scrollIntoView();
    isClicked.current = false;
  }, [path]);

  const onSelect = () => {
    isClicked.current = true;
  };
  const added = types.items.map(addedTypeOf);
  return (
    <div class="map-parts">
      <section class="tree" aria-label="Scopes">
        <QuestionFields of={['scope']} />
        {unpaid && <Problem of={unpaid} retry={retryEntitlements} />}
        {unread.length > 0 && (
          <Warning>
            More than {LIMIT.toLocaleString('en')} {unread.join(' and ')}: not all that ends, is over or is
            missing is marked.
          </Warning>
        )}
        {types.error && <Problem of={types.error} retry={types.more} />}
        {!types.error && (
          <Level
            drawing={{ added, open, selected, path, entitlements, now, onSelect }}
            depth={0}
            isClosed={false}
          />
        )}
      </section>
      <section class="details scrolls" aria-label="The selected scope" ref={details}>
        {error && <Problem of={error} retry={retry} />}
        {selected === undefined && (
          <p class="nothing">Choose a scope: its groups, roles, people and subscriptions are shown here.</p>
        )}
        {!error && path && (
          <Details key={path.at(-1)?.ref} path={path} entitlements={entitlements} now={now} />
        )}
      </section>
    </div>
  );
}
