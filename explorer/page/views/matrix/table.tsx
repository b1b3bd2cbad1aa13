import { useState } from 'preact/hooks';
import { type cellsByPlace, signsOf } from '../../../../provisioning/index.ts';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { type Cell, type Matrix, moved, type Permission } from './cells.ts';

/** One reason in signs, in the colour of its effect. */
export const Signs = ({ of }: { readonly of: Cell['marks'][number] }) => (
  <span class={`effect ${of.effect === 'ALLOW' ? 'allow' : 'deny'}`} aria-hidden="true">
    {signsOf(of)}
  </span>
);

interface MatrixTableProps {
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
  const [current, setCurrent] = useState<readonly [number, number]>([0, 0]);
  const size = [permissions.length, roles.length] as const;
  // The table may have become smaller.
  const at = current.map((each, axis) => Math.min(each, (size[axis] ?? 0) - 1));
  const columnOf = (role: Matrix['roles'][number], column: number): TableColumn<Permission> => ({
    title: role.id,
    head: <RoleName of={role} />,
    show: ({ name }) => <CellSigns of={cellAt(name, role.id)} />,
    cell: ({ name }, row) => ({
      tabIndex: row === at[0] && column === at[1] ? 0 : -1,
      'aria-current': isSelected(name, role.id) ? 'true' : undefined,
      onFocus: () => setCurrent([row, column]),
      onClick: () => onSelect(name, role.id),
      onKeyDown: (event) => {
        const next = moved(event.key, [row, column], size);
        if (next)
          event.currentTarget.closest('table')?.tBodies[0]?.rows[next[0]]?.cells[next[1] + 1]?.focus();
        else if (event.key === 'Enter' || event.key === ' ') onSelect(name, role.id);
        else return;
        event.preventDefault();
      },
    }),
  });
  return (
    <div class="rows scrolls">
      <Table
        role="grid"
        aria-label="Roles by permissions"
        isBusy={isLoading}
        rows={permissions}
        columns={[{ title: 'Permission', isHeading: true, show: PermissionName }, ...roles.map(columnOf)]}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

const RoleName = ({ of: { label, inherits } }: { readonly of: Matrix['roles'][number] }) => (
  <>
    <bdi>{label}</bdi>
    {inherits !== undefined && (
      <span class="note">
        {' '}
        ↑ <span class="visually-hidden">inherits from </span>
        <bdi>{inherits}</bdi>
      </span>
    )}
  </>
);

const PermissionName = ({ name, kind, description }: Permission) => (
  <>
    <code>{name}</code>
    {kind === 'pattern' && <span class="note"> pattern</span>}
    {description !== undefined && <span class="note described"> {description}</span>}
  </>
);

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
