import { useEffect, useState } from 'preact/hooks';
import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import type { Change } from '../../commands/changes.ts';
import { CommandFields } from '../../commands/fields.tsx';
import { labelOf, missing, type Values } from '../../commands/form.ts';
import { changeNamed, changeOf, fieldsOf, USUAL, USUAL_COMMANDS } from '../../commands/usual.ts';
import { named, Select } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';

const LABELS = Object.fromEntries(Object.entries(USUAL).map(([name, { label }]) => [name, label]));

/** A form for the usual changes, and for every other command. It begins with what is asked in the other views. */
export function ChangeForm({ onAdd }: { readonly onAdd: (change: Change) => void }) {
  const { subject = '', permission = '', scope = '' } = useAddress().state;
  const [name, setName] = useState('leave');
  const [values, setValues] = useState<Values>({ user: subject, permission, scope });
  // Names are looked up when a field is left, which may be when the button is pressed.
  const [isWanted, setWanted] = useState(false);
  const [unsettled, setUnsettled] = useState<Readonly<Record<string, boolean>>>({});
  const change = changeNamed(name);
  const own = 'command' in change ? [change.command] : [];
  const { value, error, retry } = useCall('forms', { commands: [...new Set([...USUAL_COMMANDS, ...own])] });
  const fields = value ? fieldsOf(change, value.forms) : [];
  const left = missing(fields, values, unsettled);
  const isComplete = fields.length > 0 && left.length === 0;
  const add = () => {
    onAdd(changeOf(change, fields, values));
    setValues({});
    setWanted(false);
  };
  useEffect(() => {
    if (isWanted && isComplete) add();
  }, [isWanted, isComplete]);
  if (!value) return error ? <Problem of={error} retry={retry} /> : <p class="loading">Loading…</p>;
  return (
    // What changes afterwards is added by another press: the first letter of it may be a value. A field that is
    // emptied, or goes back to what it was, gives no input.
    <fieldset
      class="usual"
      onInput={() => setWanted(false)}
      onFocusIn={({ target }) => target instanceof HTMLInputElement && setWanted(false)}
    >
      <legend>Add a change</legend>
      <div class="question">
        <Select
          label="Change"
          value={name}
          hint={value.forms[name]?.summary}
          options={{ ...LABELS, ...named(value.commands) }}
          onChoose={setName}
        />
        <CommandFields
          key={name}
          fields={fields}
          values={values}
          onChange={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
          onUnsettled={(key, is) => setUnsettled((before) => ({ ...before, [key]: is }))}
        />
      </div>
      <button type="button" class="primary" onClick={() => (isComplete ? add() : setWanted(true))}>
        Add this change
      </button>
      <span role="status">
        {isWanted && left.length > 0 && (
          <span class="wrong"> Still to choose: {left.map(labelOf).join(', ')}.</span>
        )}
      </span>
    </fieldset>
  );
}
