import { useRef, useState } from 'preact/hooks';
import { type cellsByPlace, signsOf } from '../../../../provisioning/index.ts';
import { type Cell, type Matrix, moved, type Permission } from './cells.ts';

/** One reason in signs, in the colour of its effect. */
export const Signs = ({ of }: { readonly of: Cell['marks'][number] }) => (
  <span class={`effect ${of.effect === 'ALLOW' ? 'allow' : 'deny'}`} aria-hidden="true">
    {signsOf(of)}
  </span>
);

export interface MatrixTableProps {
  readonly roles: Matrix['roles'];
  readonly permissions: readonly Permission[];
  readonly isLoading: boolean;
  readonly cellAt: ReturnType<typeof cellsByPlace>;
  readonly isSelected: (permission: string, role: string) => boolean;
  readonly onSelect: (permission: string, role: string) => void;
}

/** The table. Tab reaches one cell of it; the arrow keys go from there, and Enter or Space selects (ARIA: grid). */
export function MatrixTable(props: MatrixTableProps) {
  const { roles, permissions, isLoading, cellAt, isSelected, onSelect } = props;
  const table = useRef<HTMLTableElement>(null);
  const [current, setCurrent] = useState<readonly [number, number]>([0, 0]);
  // The table may have become smaller.
  const at = [Math.min(current[0], permissions.length - 1), Math.min(current[1], roles.length - 1)];
  const focus = (next: readonly [number, number]): void => {
    setCurrent(next);
    const cell = table.current?.tBodies[0]?.rows[next[0]]?.cells[next[1] + 1];
    cell?.focus();
  };
  return (
    <div class="rows scrolls">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are selected by the keyboard */}
      <table role="grid" aria-label="Roles by permissions" aria-busy={isLoading} ref={table}>
        <thead>
          <tr>
            <th scope="col">Permission</th>
            {roles.map(({ id, label, inherits }) => (
              <th key={id} scope="col">
                <bdi>{label}</bdi>
                {inherits !== undefined && (
                  <span class="note">
                    {' '}
                    ↑ <span class="visually-hidden">inherits from </span>
                    <bdi>{inherits}</bdi>
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {permissions.map(({ name, kind, description }, row) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
                {kind === 'pattern' && <span class="note"> pattern</span>}
                {description !== undefined && <span class="note described"> {description}</span>}
              </th>
              {roles.map(({ id }, column) => (
                <td
                  key={id}
                  tabIndex={row === at[0] && column === at[1] ? 0 : -1}
                  aria-current={isSelected(name, id) ? 'true' : undefined}
                  onFocus={() => setCurrent([row, column])}
                  onClick={() => onSelect(name, id)}
                  onKeyDown={(event) => {
                    const next = moved(event.key, [row, column], [permissions.length, roles.length]);
                    if (next) focus(next);
                    else if (event.key === 'Enter' || event.key === ' ') onSelect(name, id);
                    else return;
                    event.preventDefault();
                  }}
                >
                  <CellSigns of={cellAt(name, id)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CellSigns({ of: cell }: { readonly of: Cell | undefined }) {
  if (!cell) return <span class="visually-hidden">nothing</span>;
  const { marks, wins, text } = cell;
  return (
    <>
      {marks.map((mark) => (
        <>
          <Signs key={JSON.stringify(mark)} of={mark} />{' '}
        </>
      ))}
      {wins && (
        <span class="winner" aria-hidden="true">
          → <Signs of={{ effect: wins.effect, ...(wins.onCondition ? { when: '' } : {}) }} />
        </span>
      )}
      <span class="visually-hidden">{text}</span>
    </>
  );
}
