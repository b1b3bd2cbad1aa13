import { useState } from 'preact/hooks';
import type { AccessDifference, AccessRow, AccessSide } from '../../../../provisioning/index.ts';
import { peopleText } from '../../../../provisioning/index.ts';
import { linkTo, type ViewProps } from '../../address.ts';
import { counted } from '../../parts/counted.ts';
import { FIELDS } from '../../parts/fields.ts';
import { Named } from '../../parts/named.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { useNames } from '../../parts/use-names.ts';
import type { NameOf } from '../../refs.ts';

type State = ViewProps['state'];

/** The two sides of a difference, each with its sign: no colour alone says which one it is. */
const SIDES = {
  loses: { sign: '−', title: 'Loses access', noun: 'lose' },
  gains: { sign: '+', title: 'Gains access', noun: 'gain' },
} as const;

export interface DifferenceProps {
  readonly of: AccessDifference;
  readonly state: State;
  /** Names of what does not exist yet. */
  readonly newNameOf: NameOf;
}

/** Who loses and who gains what. */
export function Difference({ of, state, newNameOf }: DifferenceProps) {
  const isLeast = of.incomplete !== undefined;
  const isNothing = [of.loses, of.gains].every(({ people, more }) => people === 0 && !more);
  return (
    <>
      {of.incomplete !== undefined && (
        <p class="incomplete">
          <span aria-hidden="true">⚠</span> <strong>incomplete:</strong> <bdi>{of.incomplete}</bdi>. Each
          number is the least that is certain.
        </p>
      )}
      {isNothing && !isLeast && <p>Nobody’s access differs.</p>}
      <Side name="loses" side={of.loses} isLeast={isLeast} state={state} newNameOf={newNameOf} />
      <Side name="gains" side={of.gains} isLeast={isLeast} state={state} newNameOf={newNameOf} />
    </>
  );
}

/** Who loses, and who gains, in one line. */
export function Summary({ of }: { readonly of: AccessDifference }) {
  const isLeast = of.incomplete !== undefined;
  return (
    <p class="summary">
      {(['loses', 'gains'] as const).map((name) => (
        <span key={name} class={`count ${name}`}>
          <span aria-hidden="true">{SIDES[name].sign}</span> {SIDES[name].title.toLowerCase()}:{' '}
          <strong>{peopleText(of[name], isLeast)}</strong>
        </span>
      ))}
    </p>
  );
}

interface SideProps {
  readonly name: keyof typeof SIDES;
  readonly side: AccessSide;
  readonly isLeast: boolean;
  readonly state: State;
  readonly newNameOf: NameOf;
}

function Side({ name, side, isLeast, state, newNameOf }: SideProps) {
  const { sign, title } = SIDES[name];
  const knownOf = useNames(
    side.rows.flatMap(({ scope, name: known, subjects, people }) => [
      ...(known === undefined ? [scope] : []),
      ...(people === 1 ? subjects : []),
    ]),
  );
  const nameOf: NameOf = (ref) => knownOf(ref) ?? newNameOf(ref);
  if (side.rows.length === 0) return null;
  const columns: readonly TableColumn<AccessRow>[] = [
    { title: FIELDS.subject, show: (row) => <Who row={row} nameOf={nameOf} state={state} /> },
    { title: FIELDS.permission, show: (row) => <What row={row} state={state} /> },
    {
      title: FIELDS.scope,
      show: ({ scope, name: known, scopesBelow }) => (
        <>
          <Named of={{ ref: scope, name: known ?? nameOf(scope) ?? scope }} />
          {scopesBelow > 0 && ` and ${counted(scopesBelow, 'scope')} below`}
        </>
      ),
    },
  ];
  return (
    <section class={`side ${name}`}>
      <h2>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        {title}: {peopleText(side, isLeast)}
      </h2>
      <div class="scrolled">
        <Table rows={side.rows} columns={columns} keyOf={keyOf} />
      </div>
      {side.moreRows > 0 && <p>… and {counted(side.moreRows, 'more row')} like these.</p>}
    </section>
  );
}

const keyOf = ({ scope, subjects, permissions }: AccessRow): string =>
  JSON.stringify([scope, subjects, permissions]);

/** Why somebody may do it now, before the change, or may not. */
const whyOf = (state: State, subject: string | undefined, permission: string | undefined, scope: string) =>
  linkTo('why', state, { subject, permission, scope, at: undefined, given: undefined });

interface RowProps {
  readonly row: AccessRow;
  readonly state: State;
}

type WhoProps = RowProps & { readonly nameOf: NameOf };

function Who({ row, nameOf, state }: WhoProps) {
  const [subject = ''] = row.subjects;
  if (row.people === 1) return <Named of={{ ref: subject, name: nameOf(subject) ?? subject }} />;
  return <People row={row} nameOf={nameOf} state={state} />;
}

/** Several people by their number; their names on demand. */
function People({ row, nameOf, state }: WhoProps) {
  const [isOpen, setOpen] = useState(false);
  const knownOf = useNames(isOpen ? row.subjects : []);
  const rest = row.people - row.subjects.length;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{counted(row.people, 'person', 'people')}</summary>
      <ul>
        {row.subjects.map((subject) => (
          <li key={subject}>
            <a href={whyOf(state, subject, row.permissions[0], row.scope)}>
              <Named of={{ ref: subject, name: knownOf(subject) ?? nameOf(subject) ?? subject }} />
              <span class="visually-hidden">: why, before the change</span>
            </a>
          </li>
        ))}
        {rest > 0 && <li>and {rest.toLocaleString('en')} more</li>}
      </ul>
    </details>
  );
}

function What({ row, state }: RowProps) {
  const subject = row.people === 1 ? row.subjects[0] : undefined;
  return (
    <ul class="permissions">
      {row.permissions.map((permission) => (
        <li key={permission}>
          {subject === undefined ? (
            <code>{permission}</code>
          ) : (
            <a href={whyOf(state, subject, permission, row.scope)}>
              <code>{permission}</code>
              <span class="visually-hidden">: why, before the change</span>
            </a>
          )}
        </li>
      ))}
      {row.morePermissions > 0 && <li>and {row.morePermissions.toLocaleString('en')} more</li>}
    </ul>
  );
}
