import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAddress } from '../address.ts';
import { askedInstant, DAY, type Days, formatInstant, instantText, yearAround } from './instant.ts';
import { INSTANT } from './instant-field.tsx';

export interface WhenProps {
  readonly now: number;
  /** What the slider covers. Default: half a year before and after now. */
  readonly range?: Days | undefined;
  /** Shown between field and slider, over the same range. */
  readonly children?: ComponentChildren;
}

/** How long a slider rests before it asks, in milliseconds: it moves many times a second. */
const REST = 100;

/** The instant that the address asks about, in epoch milliseconds, or what is wrong with it; undefined means now. */
export function useInstant() {
  const { state, go } = useAddress();
  // A slider chooses many times a second.
  const choose = (at: number | undefined): void =>
    go({ at: at === undefined ? undefined : formatInstant(at) }, { replace: true });
  return { ...askedInstant(state.at), choose };
}

/** An instant by a field and by a slider that moves by days. UTC. */
export function When({ now, range, children }: WhenProps) {
  const id = useId();
  const { at, problem, choose: onChoose } = useInstant();
  const { start, end } = range ?? yearAround(now);
  const [moved, choose] = useResting(at, onChoose);
  const shown = moved ?? at ?? now;
  const isNow = moved === undefined && at === undefined;
  const day = Math.min(Math.max(shown, start), end);
  // From now on, a slider goes to the middle of a day.
  const time = isNow ? DAY / 2 : shown - Math.floor(shown / DAY) * DAY;
  return (
    <fieldset class="when">
      <legend class="visually-hidden">When</legend>
      <div class="when-field">
        <label for={id}>When (UTC)</label>
        <input
          id={id}
          {...INSTANT}
          value={new Date(shown).toISOString().slice(0, 16)}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          onChange={({ currentTarget: { value, validity } }) => {
            if (!validity.valid) return;
            onChoose(value === '' ? undefined : Date.parse(`${value}Z`));
          }}
        />
        <button type="button" disabled={isNow && problem === undefined} onClick={() => onChoose(undefined)}>
          Now
        </button>
        {!isNow && <span class="when-said">{awayText(shown, now)}</span>}
      </div>
      {problem !== undefined && (
        <p class="wrong" id={`${id}-problem`}>
          <bdi>{problem}</bdi>
        </p>
      )}
      {children}
      <input
        class="when-slider"
        type="range"
        aria-label="Day"
        aria-valuetext={instantText(shown)}
        min={0}
        max={Math.round((end - start) / DAY)}
        value={Math.floor((day - start) / DAY)}
        onInput={({ currentTarget }) => choose(start + currentTarget.valueAsNumber * DAY + time)}
      />
    </fieldset>
  );
}

/** What was chosen last, until it is asked about: at once on the screen, a little later for those who ask. */
function useResting(at: number | undefined, onChoose: (at: number | undefined) => void) {
  const [moved, setMoved] = useState<number>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    clearTimeout(timer.current);
    setMoved(undefined);
  }, [at]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const choose = (next: number): void => {
    setMoved(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChoose(next), REST);
  };
  return [moved, choose] as const;
}

const AWAY = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** How far from now: `in 97 days`, `12 days ago`, `today`. */
const awayText = (at: number, now: number): string =>
  AWAY.format(Math.floor(at / DAY) - Math.floor(now / DAY), 'day');
