import { useState } from 'preact/hooks';
import { useAddress } from '../address.ts';
import { TextField } from './field.tsx';

/** Who acts for the subject, and by which mandate: references, which the address has. */
export function ActingFields() {
  const { state, go } = useAddress();
  const { actor, mandate } = state;
  const [isOpen, setIsOpen] = useState(actor !== undefined);
  return (
    <details class="given" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        Somebody acts for the subject{actor === undefined ? '' : ` (${actor})`}{' '}
        <span class="hint">an agent, and its mandate</span>
      </summary>
      <TextField
        label="Actor, such as agent:ID"
        value={actor ?? ''}
        onType={(typed) => go({ actor: typed.trim() }, { replace: true })}
      />
      <TextField
        label="Mandate, as mandate:ID"
        value={mandate ?? ''}
        onType={(typed) => go({ mandate: typed.trim() }, { replace: true })}
      />
    </details>
  );
}
