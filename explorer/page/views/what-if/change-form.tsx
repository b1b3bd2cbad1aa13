import { useEffect, useId, useState } from 'preact/hooks';
import type { ViewProps } from '../../address.ts';
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
import { Picker } from '../../parts/picker.tsx';

export interface ChangeFormProps {
  /** What is asked in the other views is where the form begins. */
  readonly state: ViewProps['state'];
  readonly onAdd: (change: Change) => void;
}

/** A form for the usual changes. */
export function ChangeForm({ state, onAdd }: ChangeFormProps) {
  const id = useId();
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
        <div class="picker">
          <label for={id}>Change</label>
          <select
            id={id}
            value={name}
            onChange={({ currentTarget }) => {
              if (isUsual(currentTarget.value)) setName(currentTarget.value);
              setWanted(false);
            }}
          >
            {Object.entries(USUAL).map(([key, { label }]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </div>
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
const asked = ({ subject = '', permission = '', scope = '' }: ViewProps['state']): Values => ({
  subject,
  permission,
  scope,
});

/** A year of five digits is no ISO 8601. */
const INSTANT = { type: 'datetime-local', max: '9999-12-31T23:59' } as const;

interface FormFieldProps {
  readonly field: Field;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function FormField({ field, value, onChange }: FormFieldProps) {
  const id = useId();
  const { label, of, choices = [] } = field;
  if (of !== 'instant' && of !== 'choice' && of !== 'expression')
    return <Picker kind={of} label={label} value={value || undefined} onChoose={onChange} />;
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      {of === 'choice' ? (
        <select
          id={id}
          value={value || choices[0]}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          {...(of === 'instant' ? INSTANT : {})}
          value={value ?? ''}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}
