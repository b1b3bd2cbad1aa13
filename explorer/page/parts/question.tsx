import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../address.ts';
import { MOST_GIVEN, readGiven } from './asked.ts';
import { TextField } from './field.tsx';
import { type Asked, FIELDS } from './fields.ts';
import { Picker } from './picker.tsx';

/** The fields of a question, which the address has. */
export function QuestionFields({
  of = ['subject', 'permission', 'scope'],
}: {
  readonly of?: readonly Asked[];
}) {
  const { state, go } = useAddress();
  return (
    <>
      {of.map((name) => (
        <Picker
          key={name}
          kind={name}
          label={FIELDS[name]}
          value={state[name]}
          onChoose={(value) => go({ [name]: value })}
        />
      ))}
    </>
  );
}

const ACTING = { actor: 'Actor, such as agent:ID', mandate: 'Mandate, as mandate:ID' };

/** Who acts for the subject, and by which mandate: references, which the address has. */
export function ActingFields() {
  const { state, go } = useAddress();
  const { actor } = state;
  const [isOpen, setIsOpen] = useState(actor !== undefined);
  return (
    <details class="given" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        Somebody acts for the subject{actor === undefined ? '' : ` (${actor})`}{' '}
        <span class="hint">an agent, and its mandate</span>
      </summary>
      {Object.entries(ACTING).map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          value={state[name] ?? ''}
          onType={(typed) => go({ [name]: typed.trim() }, { replace: true })}
        />
      ))}
    </details>
  );
}

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
