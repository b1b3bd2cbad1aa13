import type { FormField } from '../../service/index.ts';
import { INSTANT, named, Select, TextField } from '../parts/field.tsx';
import { Picker } from '../parts/picker.tsx';
import { given, keyOf, labelOf, type Values } from './form.ts';

interface CommandFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Values;
  /** Gets the key of a value, and the value. */
  readonly onChange: (key: string, value: string) => void;
}

/** The fields of a command's form. */
export const CommandFields = ({ fields, values, onChange }: CommandFieldsProps) => (
  <>
    {fields.map((field) => (
      <ValueField
        key={field.name}
        field={field}
        value={given(field, values)}
        onChange={(value = '') => onChange(keyOf(field), value)}
      />
    ))}
  </>
);

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
