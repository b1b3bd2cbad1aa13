import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Field, type Labelled } from './field.tsx';
import { type Settling, useUnsettled } from './unsettled.ts';

/** An instant of UTC. A year of five digits is no ISO 8601; one before 1970 is a year that is still typed. */
export const INSTANT = {
  type: 'datetime-local',
  min: '1970-01-01T00:00',
  max: '9999-12-31T23:59',
} as const;

const isInPart = ({ badInput, rangeUnderflow, rangeOverflow }: ValidityState): boolean =>
  badInput || rangeUnderflow || rangeOverflow;

interface InstantFieldProps extends Labelled, Settling {
  /** Without its zone; empty for none. */
  readonly value: string;
  /** Seconds from one instant to the next. */
  readonly step?: number;
  /** Gets each whole instant, and an empty text for none. */
  readonly onChange: (value: string) => void;
  /** Beside it. */
  readonly children?: ComponentChildren;
}

/** A field for an instant of UTC. The browser gives one that is typed in part as an empty text, as it gives none. */
export function InstantField(props: InstantFieldProps) {
  const { value, step, onChange, onUnsettled, children, ...labelled } = props;
  const [isPartial, setPartial] = useState(false);
  useEffect(() => setPartial(false), [value]);
  useUnsettled(isPartial, onUnsettled);
  return (
    <Field
      {...labelled}
      problem={isPartial ? 'it is not complete: it takes a date from 1970 on and a time' : undefined}
    >
      {(control) => (
        <span class="instant">
          <input
            {...control}
            {...INSTANT}
            step={step}
            // A value would replace what is typed.
            value={isPartial ? undefined : value}
            onInput={({ currentTarget: { value: typed, validity } }) => {
              setPartial(isInPart(validity));
              if (!isInPart(validity)) onChange(typed);
            }}
            // Browsers tell nothing of the first parts that are typed, and of the last ones that are deleted.
            onBlur={({ currentTarget: { value: typed, validity } }) => {
              setPartial(isInPart(validity));
              if (isPartial && !isInPart(validity)) onChange(typed);
            }}
          />
          {children}
        </span>
      )}
    </Field>
  );
}
