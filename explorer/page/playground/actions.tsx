import { EXAMPLES } from '../../playground/examples.ts';
import { useAddress } from '../address.ts';
import { Copy } from '../parts/copy.tsx';
import { ColumnSwitches } from './columns.tsx';

export interface ActionsProps {
  /** Why the address does not hold what is shown. */
  readonly problem: string | undefined;
  readonly onOpen: (example: string) => void;
  /** Begins a new manifest. */
  readonly onStart: () => void;
}

const GROUPS = [...new Set(EXAMPLES.map(({ group }) => group))];

/** What can be done with the whole page: open an example, pass on a link, hide columns. */
export function Actions({ problem, onOpen, onStart }: ActionsProps) {
  const { state } = useAddress();
  return (
    <div class="actions">
      <label>
        <span>Example</span>
        <select
          value={state.model === undefined ? state.example : ''}
          onChange={({ currentTarget }) => onOpen(currentTarget.value)}
        >
          {state.model !== undefined && <option value="">edited</option>}
          {GROUPS.map((group) => (
            <optgroup key={group} label={group}>
              {EXAMPLES.filter((example) => example.group === group).map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <button type="button" onClick={onStart}>
        Start anew
      </button>
      <Copy title="Copy link" done="Link copied" disabled={problem !== undefined} />
      <ColumnSwitches />
    </div>
  );
}
