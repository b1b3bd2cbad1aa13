import { subjectOf } from '../../../../provisioning/index.ts';
import type { Item } from '../../load-page.ts';
import { Named } from '../../parts/named.tsx';
import { typeOf } from '../../refs.ts';
import { dayOf, isSoon, lastDayOf } from './entitlements.ts';
import { Marks } from './icons.tsx';
import { Lines } from './lines.tsx';
import type { Mark } from './marks.ts';
import { Role, roleRef } from './roles.tsx';

/** The subject of an edge: the id of a user, or a reference of another type. */
export const subjectIn = ({ user }: Item): string => subjectOf(String(user));

export const Person = ({ subject }: { readonly subject: string }) => (
  <>
    <span class="kind">{typeOf(subject)}</span> <Named of={subject} />
  </>
);

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The roles that are assigned to people at a scope, each with its time. */
export function Assignments({ scope, now }: { readonly scope: string; readonly now: number }) {
  return (
    <Lines
      of={{ command: 'assignment.list', input: { scope } }}
      none="No role is assigned to anybody here."
      title="assignments"
      show={(item, nameOf) => (
        <>
          <Person subject={subjectIn(item)} />{' '}
          <Marks of={timeMarks(text(item.startsAt), text(item.endsAt), now)} />
          <Role
            id={String(item.role)}
            name={nameOf(roleRef(item.role))}
            note={spanOf(text(item.startsAt), text(item.endsAt))}
          />
        </>
      )}
    />
  );
}

/** The grants of people in a root, each with its roles. */
export function Grants({ scope }: { readonly scope: string }) {
  const rolesOf = ({ roles }: Item): readonly string[] => (Array.isArray(roles) ? roles.map(String) : []);
  return (
    <Lines
      of={{ command: 'grant.list', input: { scope } }}
      none="Nobody has a grant here."
      title="grants"
      show={(item, nameOf) => (
        <>
          <Person subject={subjectIn(item)} />
          {rolesOf(item).map((role) => (
            <Role key={role} id={role} name={nameOf(roleRef(role))} />
          ))}
          {rolesOf(item).length === 0 && <span class="note"> without a role</span>}
        </>
      )}
    />
  );
}

/** A validity in words; undefined without bounds. */
function spanOf(from: string | undefined, until: string | undefined): string | undefined {
  const parts = [
    ...(from === undefined ? [] : [`from ${dayOf(Date.parse(from))}`]),
    ...(until === undefined ? [] : [`until ${lastDayOf(Date.parse(until))}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** What is to be seen of a validity at a glance. */
function timeMarks(from: string | undefined, until: string | undefined, now: number): readonly Mark[] {
  if (until !== undefined && Date.parse(until) <= now) return [{ kind: 'closed', text: 'is over' }];
  if (from !== undefined && Date.parse(from) > now) return [{ kind: 'closed', text: 'not yet' }];
  if (until !== undefined && isSoon(Date.parse(until), now)) return [{ kind: 'ending', text: 'ends soon' }];
  return [];
}
