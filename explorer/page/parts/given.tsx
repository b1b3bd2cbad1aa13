import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../address.ts';
import { TextField } from './field.tsx';
import { MOST_GIVEN, readGiven } from './given-text.ts';

const EXAMPLE = '{ "context": { "ip": "192.0.2.7" } }';

/** What conditions look at beside the table, as JSON. Only what can be read is asked about. */
export function GivenField() {
  const { state, go } = useAddress();
  const { given: value } = state;
  const [draft, setDraft] = useState<string>();
  useEffect(() => setDraft(undefined), [value]);
  const text = draft ?? value ?? '';
  const read = readGiven(text);
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
      <TextField
        label="Values for conditions, as JSON"
        rows={4}
        maxLength={MOST_GIVEN}
        placeholder={EXAMPLE}
        hint={
          <>
            <code>subject</code>, <code>resource</code>, <code>action</code> with <code>properties</code>, and{' '}
            <code>context</code>. Only declared properties that the caller gives count.
          </>
        }
        problem={problem}
        value={text}
        onType={(typed) => {
          setDraft(typed);
          if (!('problem' in readGiven(typed))) go({ given: typed.trim() }, { replace: true });
        }}
      />
    </details>
  );
}
