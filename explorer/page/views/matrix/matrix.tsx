import { useMemo } from 'preact/hooks';
import { cellsByPlace } from '../../../../provisioning/index.ts';
import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import { counted } from '../../parts/counted.ts';
import { Empty } from '../../parts/empty.tsx';
import { Exports } from '../../parts/exports.tsx';
import { TextField } from '../../parts/field.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Link } from '../../parts/link.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Problem } from '../../parts/problem.tsx';
import { filtered, startOf } from '../../parts/rows.ts';
import { Turning } from '../../parts/turning.tsx';
import { idOf } from '../../refs.ts';
import { type Cell, type Matrix, MOST_ROLES, MOST_ROWS, textColumns } from './cells.ts';
import { MatrixTable, Signs } from './table.tsx';

const COMBINATIONS = {
  'allow-overrides': 'One ALLOW is enough, whichever role it comes from (allow-overrides).',
  'deny-overrides': 'One DENY refuses, whichever role it comes from (deny-overrides).',
} as const;

/** What each role allows and denies: roles by permissions. */
export function MatrixView() {
  const { state, go } = useAddress();
  const { scope, role } = state;
  const { value, error, retry, isLoading } = useCall('matrix', {
    scope,
    roles: role === undefined ? undefined : [idOf(role)],
  });
  // Other places have other roles: what was chosen of these is not there.
  const anew = { cell: undefined, fromRow: undefined, fromRole: undefined };
  return (
    <>
      <div class="question">
        <Picker
          kind="scope"
          label={FIELDS.scope}
          value={scope}
          onChoose={(ref) => go({ ...anew, scope: ref, role: undefined })}
        />
        <Picker
          kind="role"
          label="Only this role"
          value={role}
          onChoose={(ref) => go({ ...anew, role: ref })}
        />
      </div>
      {error && <Problem of={error} retry={retry} />}
      {isLoading && !value && !error && <p class="loading">Loading…</p>}
      {value && !error && <Shown matrix={value} isLoading={isLoading} />}
    </>
  );
}

interface ShownProps {
  readonly matrix: Matrix;
  readonly isLoading: boolean;
}

function Shown({ matrix, isLoading }: ShownProps) {
  const { state, go } = useAddress();
  const cellAt = useMemo(() => cellsByPlace(matrix.cells), [matrix]);
  const columns = useMemo(() => textColumns(matrix, cellAt), [matrix]);
  const { roles, permissions, combination, scope } = matrix;
  if (roles.length === 0)
    return (
      <Empty title="There is no role here">
        {scope === undefined
          ? 'No role is shared by all tenants. Choose a scope: it shows the roles of its tenant.'
          : 'Add roles to the manifest, or one by the command role.create.'}
      </Empty>
    );
  const { filter = '', cell: chosen } = state;
  const rows = filtered(permissions, columns.slice(0, 3), filter);
  const firstRow = startOf(state.fromRow, MOST_ROWS, rows.length);
  const firstRole = startOf(state.fromRole, MOST_ROLES, roles.length);
  const selected = matrix.cells.find(({ role, permission }) => placeOf(permission, role) === chosen);
  return (
    <>
      <p class="help">
        {scope === undefined
          ? 'These are the roles that no tenant owns. Choose a scope to see those of its tenant too.'
          : COMBINATIONS[combination]}
      </p>
      <div class="pages">
        <div class="bar">
          <TextField
            class="filter"
            label="Filter the permissions"
            type="search"
            value={filter}
            onType={(text) => go({ filter: text, fromRow: undefined }, { replace: true })}
          />
          <Turned
            of="permissions"
            first={firstRow}
            size={MOST_ROWS}
            total={rows.length}
            onTurn={(first) => go({ fromRow: String(first) }, { replace: true })}
          />
          <Turned
            of="roles"
            first={firstRole}
            size={MOST_ROLES}
            total={roles.length}
            onTurn={(first) => go({ fromRole: String(first) }, { replace: true })}
          />
          <Exports file="gatehouse-matrix" rows={rows} columns={columns} data={matrix} />
        </div>
        <div class="matrix-said" aria-live="polite">
          <Said cell={selected} matrix={matrix} />
        </div>
        <MatrixTable
          roles={roles.slice(firstRole, firstRole + MOST_ROLES)}
          permissions={rows.slice(firstRow, firstRow + MOST_ROWS)}
          isLoading={isLoading}
          cellAt={cellAt}
          isSelected={(permission, role) => placeOf(permission, role) === chosen}
          onSelect={(permission, role) => go({ cell: placeOf(permission, role) }, { replace: true })}
        />
      </div>
    </>
  );
}

/** A cell in the address. Neither part of it has spaces. */
const placeOf = (permission: string, role: string): string => `${permission} ${role}`;

interface TurnedProps {
  readonly of: 'permissions' | 'roles';
  readonly first: number;
  readonly size: number;
  readonly total: number;
  readonly onTurn: (first: number) => void;
}

/** How many there are and which are drawn, with the buttons to the others where these are not all. */
function Turned({ of, first, size, total, onTurn }: TurnedProps) {
  const next = first + size;
  const drawn = `${of} ${first + 1}–${Math.min(next, total)} of ${total.toLocaleString('en')}`;
  return (
    <Turning
      of={of}
      said={total <= size ? counted(total, of.slice(0, -1)) : drawn}
      onPrevious={first > 0 ? () => onTurn(first - size) : undefined}
      onNext={next < total ? () => onTurn(next) : undefined}
    />
  );
}

interface SaidProps {
  readonly cell: Cell | undefined;
  readonly matrix: Matrix;
}

/** The selected cell in words; without one, what the signs of the cells are. */
function Said({ cell, matrix: { roles, combination } }: SaidProps) {
  const { state } = useAddress();
  const role = roles.find(({ id }) => id === cell?.role);
  if (!cell || !role)
    return (
      <p class="help">
        ✓ allows, ✕ denies; ↑ inherited, ≈ by a pattern, ? on a condition; → which one wins. Choose a cell to
        read it in words.
      </p>
    );
  const { permission, marks, wins } = cell;
  return (
    <>
      <h2>
        <bdi>{role.label}</bdi>, <code>{permission}</code>
      </h2>
      <ul class="plain">
        {marks.map((mark) => (
          <li key={JSON.stringify(mark)}>
            <Signs of={mark} /> {mark.effect}
            {mark.from !== undefined && (
              <>
                , inherited from <bdi>{mark.from}</bdi>
              </>
            )}
            {mark.pattern !== undefined && (
              <>
                , by <code>{mark.pattern}</code>
              </>
            )}
            {mark.when !== undefined && (
              <>
                , if <code>{mark.when}</code>
              </>
            )}
          </li>
        ))}
      </ul>
      {wins && (
        <p>
          <strong>{wins.effect} wins</strong>
          {wins.onCondition && ' where its condition holds'} ({combination}).
        </p>
      )}
      {state.scope !== undefined && !permission.includes('*') && (
        <p>
          <Link to="search" ask={{ search: 'who', permission }}>
            Who may do it here
          </Link>
        </p>
      )}
    </>
  );
}
