import { Disclosure } from '../../parts/disclosure.tsx';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import {
  type Coverage,
  coverageOf,
  type Entitlements,
  isSoon,
  lastDayOf,
  licenceCoverage,
  modulesOf,
} from './entitlements.ts';
import { GROUPS } from './groups.tsx';
import { Marks, TypeIcon } from './icons.tsx';
import { Lines, type Listed } from './lines.tsx';
import { type Mark, marksOf } from './marks.ts';
import { assignments, GRANTS } from './people.tsx';
import { OWN_ROLES } from './roles.tsx';
import type { Path } from './use-path.ts';

/** What may be asked about a scope, by the view that answers. */
const QUESTIONS = [
  ['search', 'Who may do what here'],
  ['why', 'Why may somebody do it here'],
  ['matrix', 'What each role gives here'],
  ['what-if', 'What if something changed'],
] as const;

export interface DetailsProps {
  readonly path: Path;
  readonly entitlements: Entitlements | undefined;
  readonly now: number;
}

/** What is at a scope: where it is, what may be asked about it, what is paid for, groups, roles and people. */
export function Details({ path, entitlements, now }: DetailsProps) {
  const scope = path.at(-1) as Path[0];
  const { ref, name, type } = scope;
  const above = path.slice(0, -1);
  const isClosed = above.some(({ status }) => status !== 'active');
  const isRoot = above.length === 0;
  return (
    <>
      {!isRoot && (
        <nav class="path" aria-label="Path">
          {above.map((each) => (
            <span key={each.ref}>
              <Link ask={{ scope: each.ref }} title={each.ref}>
                <bdi>{each.name}</bdi>
              </Link>
              <span aria-hidden="true"> / </span>
            </span>
          ))}
        </nav>
      )}
      <h2>
        <TypeIcon type={type} /> <bdi class="name">{name}</bdi> <span class="type">{type}</span>
      </h2>
      <p>
        <code>{ref}</code>
      </p>
      <p class="marks">
        <Marks of={marksOf(scope, isClosed, entitlements, now)} />
      </p>
      <ul class="plain links">
        {QUESTIONS.map(([view, text]) => (
          <li key={view}>
            <Link to={view} ask={{ scope: ref, search: view === 'search' ? 'who' : undefined }}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
      {entitlements && <Paid path={path} entitlements={entitlements} now={now} />}
      {type === 'account' && entitlements && <Licences account={ref} entitlements={entitlements} now={now} />}
      {type === 'enterprise' && (
        <>
          <h3>Workstreams linked to it</h3>
          <Lines {...LINKED} of={{ parent: ref }} />
        </>
      )}
      <h3>Groups</h3>
      <Lines {...GROUPS} of={{ scope: ref }} />
      {isRoot && (
        <>
          <h3>Roles of this {type}</h3>
          <Lines {...OWN_ROLES} of={{ scope: ref }} />
        </>
      )}
      <h3>People</h3>
      <Disclosure summary="Roles assigned here">
        {() => <Lines {...assignments(now)} of={{ scope: ref }} />}
      </Disclosure>
      {isRoot && (
        <Disclosure summary={`Grants in this ${type}`}>
          {() => <Lines {...GRANTS} of={{ scope: ref }} />}
        </Disclosure>
      )}
      {isRoot && entitlements && (
        <EndingUsers users={entitlements.endingUsers.filter(({ tenant }) => tenant === ref)} />
      )}
    </>
  );
}

interface PaidProps extends Pick<DetailsProps, 'path' | 'now'> {
  readonly entitlements: Entitlements;
}

/** What is paid for at a scope, by itself or above it. */
function Paid({ path, entitlements, now }: PaidProps) {
  const scope = path.at(-1) as Path[0];
  const { unread } = entitlements;
  const modules = modulesOf(scope, entitlements, now);
  const workstream = path.find(({ enterprise }) => enterprise !== undefined);
  const licence = workstream && licenceCoverage(workstream, entitlements, now);
  if (modules.length === 0 && !licence) return null;
  const nameOf = (owner: string) => path.find(({ ref }) => ref === owner)?.name ?? owner;
  return (
    <>
      <h3>Subscriptions and licences</h3>
      <ul class="plain lines">
        {modules.map(([module, coverage]) => (
          <li key={module}>
            <span class="kind">module</span> <bdi class="name">{module}</bdi>{' '}
            <Covered of={coverage} isKnown={!unread.includes('subscriptions')} now={now} />
            {coverage.state === 'covered' && coverage.owner !== scope.ref && (
              <span class="note"> from {nameOf(coverage.owner)}</span>
            )}
          </li>
        ))}
        {licence && (
          <li>
            <span class="kind">licence</span> for <Named of={workstream.enterprise as string} />{' '}
            <Covered of={licence} isKnown={!unread.includes('licences')} now={now} />
          </li>
        )}
      </ul>
    </>
  );
}

/** The licences of an account, by enterprise. */
function Licences({ account, entitlements, now }: Omit<PaidProps, 'path'> & { readonly account: string }) {
  const { unread } = entitlements;
  const licences = entitlements.licences.get(account) ?? [];
  const enterprises = [...new Set(licences.map(({ of }) => of))];
  return (
    <>
      <h3>Licences</h3>
      {enterprises.length === 0 && (
        <p class="nothing">
          {unread.includes('licences') ? 'It is not known whether it has a licence.' : 'It has no licence.'}
        </p>
      )}
      <ul class="plain lines">
        {enterprises.map((enterprise) => (
          <li key={enterprise}>
            for <Named of={enterprise} />{' '}
            <Covered
              of={coverageOf(licences, enterprise, now)}
              isKnown={!unread.includes('licences')}
              now={now}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The workstreams of accounts that are linked to an enterprise. */
const LINKED: Listed = {
  command: 'workstream.list',
  none: 'No workstream is linked to it.',
  title: 'workstreams',
  show: ({ id, name }) => (
    <Link ask={{ scope: `workstream:${String(id)}` }}>
      <bdi>{String(name)}</bdi>
    </Link>
  ),
};

interface CoveredProps {
  readonly of: Coverage;
  /** Whether all of its kind were read. */
  readonly isKnown: boolean;
  readonly now: number;
}

/** How something is paid for, and until when. */
const Covered = ({ of, isKnown, now }: CoveredProps) => (
  <>
    <Marks of={[coverageMark(of, now, isKnown)]} />
    {of.state === 'covered' && (
      <span class="note">
        {of.end === Number.POSITIVE_INFINITY ? ' without an end' : ` until ${lastDayOf(of.end)}`}
      </span>
    )}
  </>
);

function coverageMark(coverage: Coverage, now: number, isKnown: boolean): Mark {
  // Another one may be among those that were not read.
  if (coverage.state !== 'covered' && !isKnown) return { kind: 'missing', text: 'not known' };
  if (coverage.state === 'over')
    return { kind: 'unlicensed', text: coverage.end <= now ? `ended ${lastDayOf(coverage.end)}` : 'expired' };
  if (coverage.state === 'none') return { kind: 'missing', text: 'missing' };
  return isSoon(coverage.end, now)
    ? { kind: 'ending', text: 'ends soon' }
    : { kind: 'paid', text: 'in force' };
}

/** The users of a tenant whose time ends soon. */
function EndingUsers({ users }: { readonly users: Entitlements['endingUsers'] }) {
  if (users.length === 0) return null;
  return (
    <Disclosure summary={`Users who end soon (${users.length})`}>
      {() => (
        <ul class="plain lines">
          {users.map(({ ref, name, end }) => (
            <li key={ref}>
              <Named of={{ ref, name }} /> <Marks of={[{ kind: 'ending', text: `ends ${lastDayOf(end)}` }]} />
            </li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}
