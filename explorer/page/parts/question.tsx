import { useAddress } from '../address.ts';
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
