import { useId } from 'preact/hooks';

export interface WhenFieldProps {
  /** As `2026-03-01T12:00Z`. */
  readonly value: string | undefined;
  readonly onChoose: (at: string | undefined) => void;
}

/** The instant to decide for; now if it is empty. */
export function WhenField({ value, onChoose }: WhenFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>When (UTC; empty: now)</label>
      <input
        id={id}
        type="datetime-local"
        value={value?.replace(/(:\d\d)?(\.\d+)?Z$/, (end) => (end.startsWith(':') ? end.slice(0, 3) : ''))}
        onChange={({ currentTarget }) =>
          onChoose(currentTarget.value === '' ? undefined : `${currentTarget.value}Z`)
        }
      />
    </div>
  );
}
