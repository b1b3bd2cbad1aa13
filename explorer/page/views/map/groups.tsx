import type { Item } from '../../load-page.ts';
import { useNames } from '../../parts/use-names.ts';
import { Disclosure, Lines, useCommandList } from './lines.tsx';
import { Person, subjectIn } from './people.tsx';
import { Role } from './roles.tsx';

/** The groups at a scope; opened, the roles that each one carries, and on demand its members. */
export function Groups({ scope }: { readonly scope: string }) {
  const list = useCommandList('group.list', { scope });
  return (
    <Lines
      list={list}
      none="There is no group here."
      title="groups"
      keyOf={({ id }) => String(id)}
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
  const list = useCommandList('group-role.list', { group });
  const nameOf = useNames(list.items.map(({ role }) => `role:${String(role)}`));
  return (
    <Lines
      list={list}
      none="It carries no role."
      title="roles"
      keyOf={({ role }) => String(role)}
      show={({ role }) => <Role id={String(role)} name={nameOf(`role:${String(role)}`) ?? String(role)} />}
    />
  );
}

function Members({ group }: { readonly group: string }) {
  const list = useCommandList('membership.list', { group });
  const nameOf = useNames(list.items.map(subjectIn));
  return (
    <Lines
      list={list}
      none="Nobody is in it."
      title="people"
      keyOf={subjectIn}
      show={(item) => <Person subject={subjectIn(item)} nameOf={nameOf} />}
    />
  );
}
