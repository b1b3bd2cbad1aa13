import type { ComponentChildren } from 'preact';
import type { AccessDifference, AccessRow, AccessSide } from '../../../../provisioning/index.ts';
import { peopleText } from '../../../../provisioning/index.ts';
import { counted } from '../../parts/counted.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Warning } from '../../parts/field.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';

/** The two sides of a difference, each with its sign: no colour alone says which one it is. */
const SIDES = {
  loses: { sign: '−', title: 'Loses access' },
  gains: { sign: '+', title: 'Gains access' },
  between: { sign: '−', title: 'Refused in between' },
} as const;

/** Who loses and who gains what. */
export function Difference({ of }: { readonly of: AccessDifference }) {
  const isLeast = of.incomplete !== undefined;
  const isNothing = [of.loses, of.gains].every(({ people, more }) => people === 0 && !more);
  return (
    <>
      {of.incomplete !== undefined && (
        <Warning>
          <strong>incomplete:</strong> <bdi>{of.incomplete}</bdi>. Each number is the least that is certain.
        </Warning>
      )}
      {isNothing && !isLeast && <p>Nobody’s access differs.</p>}
      <Side name="loses" side={of.loses} isLeast={isLeast} />
      <Side name="gains" side={of.gains} isLeast={isLeast} />
      {of.leaves && <Left of={of.leaves} />}
    </>
  );
}

/** What stays and names a scope that is deleted. */
const Left = ({ of: { rows, moreRows } }: { readonly of: NonNullable<AccessDifference['leaves']> }) => (
  <>
    <Warning>What stays refuses everybody from then on, and goes to whoever creates that id again:</Warning>
    <ul>
      {rows.map(({ kind, id, label, scope }) => (
        <li key={`${kind} ${id}`}>
          {kind === 'route' ? '' : 'resource type '}
          <bdi>{label}</bdi> at <code>{scope}</code>
        </li>
      ))}
      {moreRows > 0 && <li>and {moreRows.toLocaleString('en')} more</li>}
    </ul>
  </>
);

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
}

/** Who loses or gains what. */
export function Side({ name, side, isLeast }: SideProps) {
  const { sign, title } = SIDES[name];
  if (side.rows.length === 0) return null;
  return (
    <section class={`side ${name}`}>
      <h2>
        <span class="sign" aria-hidden="true">
          {sign}
        </span>{' '}
        {title}: {peopleText(side, isLeast)}
      </h2>
      <div class="scrolled">
        <Table rows={side.rows} columns={COLUMNS} keyOf={keyOf} />
      </div>
      {side.moreRows > 0 && <p>… and {counted(side.moreRows, 'more row')} like these.</p>}
    </section>
  );
}

const keyOf = ({ scope, subjects, permissions }: AccessRow): string =>
  JSON.stringify([scope, subjects, permissions]);

interface WhyProps {
  readonly subject: string;
  readonly permission: string | undefined;
  readonly scope: string;
  readonly children: ComponentChildren;
}

/** What is compared is of subjects alone, now. */
const ALONE = { actor: undefined, mandate: undefined, at: undefined, given: undefined };

/** Why somebody may do it now, before the change, or may not. */
const Why = ({ children, ...asked }: WhyProps) => (
  <Link to="why" ask={{ ...asked, ...ALONE }}>
    {children}
    <span class="visually-hidden">: why, before the change</span>
  </Link>
);

/** One by name; several by their number, and their names on demand. */
function Who({ people, subjects, permissions, scope }: AccessRow) {
  const [only] = subjects;
  if (people === 1 && only !== undefined) return <Named of={only} />;
  const rest = people - subjects.length;
  return (
    <Disclosure summary={counted(people, 'person', 'people')}>
      {() => (
        <ul>
          {subjects.map((subject) => (
            <li key={subject}>
              <Why subject={subject} permission={permissions[0]} scope={scope}>
                <Named of={subject} />
              </Why>
            </li>
          ))}
          {rest > 0 && <li>and {rest.toLocaleString('en')} more</li>}
        </ul>
      )}
    </Disclosure>
  );
}

function What(row: AccessRow) {
  const subject = row.people === 1 ? row.subjects[0] : undefined;
  return (
    <ul class="permissions">
      {row.permissions.map((permission) => (
        <li key={permission}>
          {subject === undefined ? (
            <code>{permission}</code>
          ) : (
            <Why subject={subject} permission={permission} scope={row.scope}>
              <code>{permission}</code>
            </Why>
          )}
        </li>
      ))}
      {row.morePermissions > 0 && <li>and {row.morePermissions.toLocaleString('en')} more</li>}
    </ul>
  );
}

const COLUMNS: readonly TableColumn<AccessRow>[] = [
  { title: FIELDS.subject, show: Who },
  { title: FIELDS.permission, show: What },
  {
    title: FIELDS.scope,
    show: ({ scope, name, scopesBelow }) => (
      <>
        <Named of={name === undefined ? scope : { ref: scope, name }} />
        {scopesBelow > 0 && ` and ${counted(scopesBelow, 'scope')} below`}
      </>
    ),
  },
];
