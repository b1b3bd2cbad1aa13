import { useEffect, useId, useState } from 'preact/hooks';
import { type GivenText, MOST_GIVEN, readGiven } from './given-text.ts';

export interface GivenFieldProps {
  /** Of the address. */
  readonly value: string | undefined;
  readonly onChoose: (text: string | undefined) => void;
}

const EXAMPLE = '{ "context": { "ip": "192.0.2.7" } }';

/** What conditions look at beside the table, as JSON. Only what can be read is asked about. */
export function GivenField({ value, onChoose }: GivenFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  useEffect(() => setDraft(undefined), [value]);
  const text = draft ?? value ?? '';
  const read: GivenText = readGiven(text);
  const problem = 'problem' in read ? read.problem : undefined;
  const [isOpen, setIsOpen] = useState(value !== undefined);
  return (
    <details
      class="given"
      open={isOpen || problem !== undefined}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>
        Given with the question{value === undefined ? '' : ' (some)'}{' '}
        <span class="hint">values for conditions, such as an IP address</span>
      </summary>
      <label for={id}>Values for conditions, as JSON</label>
      <textarea
        id={id}
        rows={4}
        maxLength={MOST_GIVEN}
        spellcheck={false}
        placeholder={EXAMPLE}
        value={text}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? `${id}-help` : `${id}-problem`}
        onInput={({ currentTarget }) => {
          setDraft(currentTarget.value);
          const next = readGiven(currentTarget.value);
          if (!('problem' in next)) onChoose(currentTarget.value.trim() || undefined);
        }}
      />
      {problem === undefined ? (
        <p class="help" id={`${id}-help`}>
          <code>subject</code>, <code>resource</code>, <code>action</code> with <code>properties</code>, and{' '}
          <code>context</code>. Only declared properties that the caller gives count.
        </p>
      ) : (
        <p class="wrong" id={`${id}-problem`}>
          <bdi>{problem}</bdi>
        </p>
      )}
    </details>
  );
}
