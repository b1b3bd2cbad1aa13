import type { FormField } from '../../service/index.ts';
import { named, Select, TextField } from '../parts/field.tsx';
import { InstantField } from '../parts/instant-field.tsx';
import { Picker } from '../parts/picker.tsx';
import type { Settling } from '../parts/unsettled.ts';
import { given, keyOf, labelOf, type Values } from './form.ts';

interface CommandFieldsProps {
  readonly fields: readonly FormField[];
  readonly values: Values;
  /** Gets the key of a value, and the value. */
  readonly onChange: (key: string, value: string) => void;
  /** Gets the key of a value, and whether its field is unsettled. */
  readonly onUnsettled?: (key: string, isUnsettled: boolean) => void;
}

/** The fields of a command's form. */
export const CommandFields = ({ fields, values, onChange, onUnsettled }: CommandFieldsProps) => (
  <>
    {fields.map((field) => (
      <ValueField
        key={field.name}
        field={field}
        value={given(field, values)}
        onChange={(value = '') => onChange(keyOf(field), value)}
        onUnsettled={onUnsettled && ((isUnsettled) => onUnsettled(keyOf(field), isUnsettled))}
      />
    ))}
  </>
);

interface ValueFieldProps extends Settling {
  readonly field: FormField;
  readonly value: string;
  readonly onChange: (value: string | undefined) => void;
}

function ValueField({ field, value, onChange, onUnsettled }: ValueFieldProps) {
  const { names, choices, isRequired, isInstant } = field;
  const label = labelOf(field);
  const rest = { label, onUnsettled };
  if (names) return <Picker {...rest} kind={names} value={value || undefined} onChoose={onChange} />;
  const options = named(isRequired ? choices : ['', ...choices]);
  if (choices.length > 0) return <Select label={label} value={value} options={options} onChoose={onChange} />;
  if (isInstant) return <InstantField {...rest} value={value} onChange={onChange} />;
  return <TextField label={label} value={value} onType={onChange} />;
}
