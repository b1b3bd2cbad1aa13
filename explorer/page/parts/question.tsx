import { useAddress } from '../address.ts';
import { type Asked, FIELDS } from './fields.ts';
import { Picker } from './picker.tsx';

export interface QuestionProps {
  readonly of?: readonly Asked[];
}

/** The fields of a question, which the address has. */
export function QuestionFields({ of = ['subject', 'permission', 'scope'] }: QuestionProps) {
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
