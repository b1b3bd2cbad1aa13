import { asField } from '../../../provisioning/index.ts';
import type { FormField } from '../../service/index.ts';
import { parseJson } from '../json.ts';
import { FIELDS } from '../parts/fields.ts';
import type { Change } from './changes.ts';

/** What is in a form, as texts: references, names of permissions, instants of UTC without their zone, and what is typed. */
export type Values = Readonly<Record<string, string>>;

const LABELS: Readonly<Record<string, string>> = {
  user: FIELDS.subject,
  permission: `${FIELDS.permission} or pattern`,
  startsAt: 'From (UTC)',
  endsAt: 'Until (UTC)',
  from: 'From (UTC)',
  until: 'Until, not included (UTC)',
  when: 'Condition in CEL',
};

/** What a field is called: by what it names, where its own name is `id`. */
export function labelOf({ name, names, isRequired }: FormField): string {
  const words = (name === 'id' && names ? names : name).replace(/-|(?=[A-Z])/g, ' ').toLowerCase();
  const label = LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return isRequired ? label : `${label} (optional)`;
}

/** The name of its value: an id is that of what it names, in whichever form. */
export const keyOf = ({ name, names }: FormField): string => (name === 'id' ? (names ?? name) : name);

/** Its value; one of some choices is chosen. */
export const given = (field: FormField, values: Values): string =>
  values[keyOf(field)] || (field.isRequired ? field.choices[0] : undefined) || '';

/** The fields that a form still needs, with those that are unsettled. */
export const missing = (
  fields: readonly FormField[],
  values: Values,
  unsettled: Readonly<Record<string, boolean>> = {},
): readonly FormField[] =>
  fields.filter((field) => unsettled[keyOf(field)] || (field.isRequired && given(field, values) === ''));

/** The input of a command by its form. */
export const inputOf = (fields: readonly FormField[], values: Values): Change['input'] =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = given(field, values);
      return text === '' ? [] : [[field.name, written(field, text)]];
    }),
  );

function written({ names, description, canClear, isInstant, isJson }: FormField, text: string): unknown {
  if (canClear && text === 'null') return null;
  if (names && names !== 'permission') return asField(description, text);
  if (isInstant) return `${text.length === 16 ? `${text}:00` : text}Z`;
  const read = isJson ? parseJson(text) : { value: text };
  // What is wrong with it, the command says.
  return 'value' in read ? read.value : text;
}
