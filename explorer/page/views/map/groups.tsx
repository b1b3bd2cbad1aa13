import type { Item } from '../../load-page.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Marks } from './icons.tsx';
import { Lines, type Listed } from './lines.tsx';
import { membershipMarks } from './marks.ts';
import { Person, subjectIn } from './people.tsx';
import { Role } from './roles.tsx';

/** The groups at a scope; opened, the roles that each one carries, and on demand its members. */
export const GROUPS: Listed = {
  command: 'group.list',
  none: 'There is no group here.',
  title: 'groups',
  show: (group) => <Group of={group} />,
};

function Group({ of: { id, name, groupType, everyone } }: { readonly of: Item }) {
  const group = String(id);
  const isEveryone = everyone === true;
  return (
    <Disclosure
      isOpen
      summary={
        <>
          <span class="kind">group</span> <bdi class="name">{String(name)}</bdi>
          {typeof groupType === 'string' && <span class="note"> {groupType}</span>}
          {isEveryone && <span class="note"> everyone who is active</span>}
        </>
      }
    >
      {() => (
        <>
          <Lines {...CARRIED} of={{ group }} />
          {!isEveryone && (
            <Disclosure summary="People in this group">
              {() => <Lines {...MEMBERS} of={{ group }} />}
            </Disclosure>
          )}
        </>
      )}
    </Disclosure>
  );
}

const CARRIED: Listed = {
  command: 'group-role.list',
  none: 'It carries no role.',
  title: 'roles',
  keyOf: ({ role }) => String(role),
  show: ({ role }) => <Role id={String(role)} />,
};

const MEMBERS: Listed = {
  command: 'membership.list',
  none: 'Nobody is in it.',
  title: 'people',
  keyOf: subjectIn,
  show: (item) => (
    <>
      <Person subject={subjectIn(item)} /> <Marks of={membershipMarks(item)} />
    </>
  ),
};
