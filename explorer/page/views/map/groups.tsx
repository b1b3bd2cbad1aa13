import type { Item } from '../../load-page.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Lines } from './lines.tsx';
import { Person, subjectIn } from './people.tsx';
import { Role, roleRef } from './roles.tsx';

/** The groups at a scope; opened, the roles that each one carries, and on demand its members. */
export function Groups({ scope }: { readonly scope: string }) {
  return (
    <Lines
      of={{ command: 'group.list', input: { scope } }}
      none="There is no group here."
      title="groups"
      show={(group) => <Group of={group} />}
    />
  );
}

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
          <GroupRoles group={group} />
          {!isEveryone && (
            <Disclosure summary="People in this group">{() => <Members group={group} />}</Disclosure>
          )}
        </>
      )}
    </Disclosure>
  );
}

function GroupRoles({ group }: { readonly group: string }) {
  return (
    <Lines
      of={{ command: 'group-role.list', input: { group } }}
      none="It carries no role."
      title="roles"
      keyOf={({ role }) => String(role)}
      show={({ role }, nameOf) => <Role id={String(role)} name={nameOf(roleRef(role))} />}
    />
  );
}

function Members({ group }: { readonly group: string }) {
  return (
    <Lines
      of={{ command: 'membership.list', input: { group } }}
      none="Nobody is in it."
      title="people"
      keyOf={subjectIn}
      show={(item) => <Person subject={subjectIn(item)} />}
    />
  );
}
