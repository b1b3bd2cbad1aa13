import type { ViewProps } from '../address.ts';
import { type Asked, FIELDS } from './fields.ts';
import { Picker } from './picker.tsx';

export interface QuestionProps extends ViewProps {
  readonly of?: readonly Asked[];
}

/** The fields of a question, which the address has. */
export const QuestionFields = ({ of = ['subject', 'permission', 'scope'], state, go }: QuestionProps) => (
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
