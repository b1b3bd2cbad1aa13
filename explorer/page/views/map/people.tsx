import { subjectOf } from '../../../../provisioning/index.ts';
import type { Item } from '../../load-page.ts';
import { periodText } from '../../parts/instant.ts';
import { Named } from '../../parts/named.tsx';
import { typeOf } from '../../refs.ts';
import { isSoon } from './entitlements.ts';
import { Marks } from './icons.tsx';
import type { Listed } from './lines.tsx';
import type { Mark } from './marks.ts';
import { Role } from './roles.tsx';

/** The subject of an edge: the id of a user, or a reference of another type. */
export const subjectIn = ({ user }: Item): string => subjectOf(String(user));

export const Person = ({ subject }: { readonly subject: string }) => (
  <>
    <span class="kind">{typeOf(subject)}</span> <Named of={subject} />
  </>
);

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The roles that are assigned to people at a scope, each with its time. */
export const assignments = (now: number): Listed => ({
  command: 'assignment.list',
  none: 'No role is assigned to anybody here.',
  title: 'assignments',
  show: (item) => {
    const [start, end] = [text(item.startsAt), text(item.endsAt)];
    return (
      <>
        <Person subject={subjectIn(item)} /> <Marks of={timeMarks(start, end, now)} />
        <Role id={String(item.role)} note={start || end ? periodText({ start, end }) : undefined} />
      </>
    );
  },
});

/** The grants of people in a root, each with its roles. */
export const GRANTS: Listed = {
  command: 'grant.list',
  none: 'Nobody has a grant here.',
  title: 'grants',
  show: (item) => {
    const roles = Array.isArray(item.roles) ? item.roles.map(String) : [];
    return (
      <>
        <Person subject={subjectIn(item)} />
        {roles.map((role) => (
          <Role key={role} id={role} />
        ))}
        {roles.length === 0 && <span class="note"> without a role</span>}
      </>
    );
  },
};

/** What is to be seen of a validity at a glance. */
function timeMarks(from: string | undefined, until: string | undefined, now: number): readonly Mark[] {
  if (until !== undefined && Date.parse(until) <= now) return [{ kind: 'closed', text: 'is over' }];
  if (from !== undefined && Date.parse(from) > now) return [{ kind: 'closed', text: 'not yet' }];
  if (until !== undefined && isSoon(Date.parse(until), now)) return [{ kind: 'ending', text: 'ends soon' }];
  return [];
}
