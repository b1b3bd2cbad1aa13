import { useEffect, useState } from 'preact/hooks';
import { type Address, useAddress } from '../address.ts';

/** The columns of the playground, from left to right. */
export const COLUMNS = ['manifest', 'picture', 'tests'] as const;

export type Column = (typeof COLUMNS)[number];

const TITLES: Readonly<Record<Column, string>> = { manifest: 'Manifest', picture: 'Picture', tests: 'Tests' };

/** Columns that can be hidden: without a picture there is nothing to look at. */
const HIDEABLE = ['manifest', 'tests'] as const satisfies readonly Column[];

/** The columns that are hidden where there is room for all: `hide=manifest,tests`. */
export const hiddenIn = ({ hide = '' }: Address['state']): ReadonlySet<Column> =>
  new Set(HIDEABLE.filter((name) => hide.split(',').includes(name)));

/** The one column that is shown where there is room for one. */
export const columnOf = ({ column }: Address['state']): Column =>
  COLUMNS.find((name) => name === column) ?? 'picture';

interface ButtonsProps {
  readonly of: readonly Column[];
  readonly isPressed: (name: Column) => boolean;
  readonly onPress: (name: Column) => void;
}

const Buttons = ({ of, isPressed, onPress }: ButtonsProps) => (
  <>
    {of.map((name) => (
      <button key={name} type="button" aria-pressed={isPressed(name)} onClick={() => onPress(name)}>
        {TITLES[name]}
      </button>
    ))}
  </>
);

/** Chooses the column on narrow screens. */
export function ColumnTabs() {
  const { state, go } = useAddress();
  const shown = columnOf(state);
  const choose = (name: Column) => go({ column: name === 'picture' ? undefined : name }, { replace: true });
  return (
    <nav class="column-tabs" aria-label="Columns">
      <Buttons of={COLUMNS} isPressed={(name) => name === shown} onPress={choose} />
    </nav>
  );
}

/** Hides and shows columns on wide screens. */
export function ColumnSwitches() {
  const { state, go } = useAddress();
  const hidden = hiddenIn(state);
  const toggle = (name: Column) =>
    go(
      { hide: HIDEABLE.filter((each) => hidden.has(each) !== (each === name)).join(',') },
      { replace: true },
    );
  return (
    <fieldset class="column-switches" aria-label="Columns">
      <Buttons of={HIDEABLE} isPressed={(name) => !hidden.has(name)} onPress={toggle} />
    </fieldset>
  );
}

/** As in playground.css. */
const NARROW = '(max-width: 68.74rem)';

/** Whether there is room for one column only, which is the main part of the page then. */
export function useNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const read = () => setIsNarrow(query.matches);
    query.addEventListener('change', read);
    return () => query.removeEventListener('change', read);
  }, []);
  return isNarrow;
}
