import { useEffect, useState } from 'preact/hooks';
import type { FormField } from '../../../service/index.ts';
import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import type { Change } from '../../commands/changes.ts';
import { given, keyOf, labelOf, missing, type Values } from '../../commands/form.ts';
import { changeNamed, changeOf, fieldsOf, USUAL, USUAL_COMMANDS } from '../../commands/usual.ts';
import { INSTANT, named, Select, TextField } from '../../parts/field.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Problem } from '../../parts/problem.tsx';

const LABELS = Object.fromEntries(Object.entries(USUAL).map(([name, { label }]) => [name, label]));

/** A form for the usual changes, and for every other command. It begins with what is asked in the other views. */
export function ChangeForm({ onAdd }: { readonly onAdd: (change: Change) => void }) {
  const { subject = '', permission = '', scope = '' } = useAddress().state;
  const [name, setName] = useState('leave');
  const [values, setValues] = useState<Values>({ user: subject, permission, scope });
  // Names are looked up when a field is left, which may be when the button is pressed.
  const [isWanted, setWanted] = useState(false);
  const change = changeNamed(name);
  const own = 'command' in change ? [change.command] : [];
  const { value, error, retry } = useCall('forms', { commands: [...new Set([...USUAL_COMMANDS, ...own])] });
  const fields = value ? fieldsOf(change, value.forms) : [];
  const left = missing(fields, values);
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
    <fieldset class="usual">
      <legend>Add a change</legend>
      <div class="question">
        <Select
          label="Change"
          value={name}
          hint={value.forms[name]?.summary}
          options={{ ...LABELS, ...named(value.commands) }}
          onChoose={(chosen) => {
            setName(chosen);
            setWanted(false);
          }}
        />
        {fields.map((field) => (
          <ValueField
            key={field.name}
            field={field}
            value={given(field, values)}
            onChange={(value) => setValues((before) => ({ ...before, [keyOf(field)]: value ?? '' }))}
          />
        ))}
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

interface ValueFieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}

function ValueField({ field, value, onChange }: ValueFieldProps) {
  const { names, choices, isRequired, isInstant } = field;
  const label = labelOf(field);
  if (names) return <Picker kind={names} label={label} value={value || undefined} onChoose={onChange} />;
  const options = named(isRequired ? choices : ['', ...choices]);
  if (choices.length > 0) return <Select label={label} value={value} options={options} onChoose={onChange} />;
  return <TextField label={label} {...(isInstant && INSTANT)} value={value} onType={onChange} />;
}
