import { useEffect, useState } from 'preact/hooks';
import { type Address, useAddress } from '../../address.ts';
import type { Change } from '../../commands/changes.ts';
import {
  type Field,
  type FieldName,
  fieldOf,
  isUsual,
  missing,
  USUAL,
  type Usual,
  type UsualName,
  type Values,
} from '../../commands/usual.ts';
import { INSTANT, named, Select, TextField } from '../../parts/field.tsx';
import { Picker } from '../../parts/picker.tsx';

const LABELS = Object.fromEntries(Object.entries(USUAL).map(([name, { label }]) => [name, label]));

export interface ChangeFormProps {
  readonly onAdd: (change: Change) => void;
}

/** A form for the usual changes. It begins with what is asked in the other views. */
export function ChangeForm({ onAdd }: ChangeFormProps) {
  const { state } = useAddress();
  const [name, setName] = useState<UsualName>('leave');
  const [values, setValues] = useState<Values>(() => asked(state));
  // Names are looked up when a field is left, which may be when the button is pressed.
  const [isWanted, setWanted] = useState(false);
  const usual: Usual = USUAL[name];
  const left = missing(usual, values);
  const isComplete = left.length === 0;
  const add = () => {
    onAdd(usual.toChange(values));
    setValues({});
    setWanted(false);
  };
  useEffect(() => {
    if (isWanted && isComplete) add();
  }, [isWanted, isComplete]);
  const set = (field: FieldName) => (value: string | undefined) =>
    setValues((before) => ({ ...before, [field]: value ?? '' }));
  return (
    <fieldset class="usual">
      <legend>Add a change</legend>
      <div class="question">
        <Select
          label="Change"
          value={name}
          options={LABELS}
          onChoose={(chosen) => {
            if (isUsual(chosen)) setName(chosen);
            setWanted(false);
          }}
        />
        {usual.fields.map((field) => (
          <FormField key={field} field={fieldOf(field)} value={values[field]} onChange={set(field)} />
        ))}
      </div>
      <button type="button" class="primary" onClick={() => (isComplete ? add() : setWanted(true))}>
        Add this change
      </button>
      <span role="status">
        {isWanted && !isComplete && (
          <span class="wrong"> Still to choose: {left.map(({ label }) => label).join(', ')}.</span>
        )}
      </span>
    </fieldset>
  );
}

/** The values that the other views ask about. */
const asked = ({ subject = '', permission = '', scope = '' }: Address['state']): Values => ({
  subject,
  permission,
  scope,
});

interface FormFieldProps {
  readonly field: Field;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function FormField({ field, value, onChange }: FormFieldProps) {
  const { label, of, choices = [] } = field;
  if (of === 'choice')
    return (
      <Select
        label={label}
        value={value || (choices[0] ?? '')}
        options={named(choices)}
        onChoose={onChange}
      />
    );
  if (of === 'instant' || of === 'expression')
    return (
      <TextField label={label} {...(of === 'instant' && INSTANT)} value={value ?? ''} onType={onChange} />
    );
  return <Picker kind={of} label={label} value={value || undefined} onChoose={onChange} />;
}
