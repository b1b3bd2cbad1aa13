import type { ComponentChildren } from 'preact';
import { useCommand } from '../../calls.ts';
import type { Item } from '../../load-page.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Named } from '../../parts/named.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Lines, type Listed } from './lines.tsx';

export interface RoleProps {
  readonly id: string;
  /** What else is said of it. */
  readonly note?: ComponentChildren;
}

/** A role; opened, what it allows and denies, with what it inherits. */
export const Role = ({ id, note }: RoleProps) => (
  <Disclosure
    summary={
      <>
        <span class="kind">role</span> <Named of={`role:${id}`} />
        {note !== undefined && <span class="note"> {note}</span>}
      </>
    }
  >
    {() => <Effects role={id} />}
  </Disclosure>
);

/** The roles that a root owns. */
export const OWN_ROLES: Listed = {
  command: 'role.list',
  none: 'It owns no role.',
  title: 'roles',
  show: ({ id, parent }) => (
    <Role id={String(id)} note={typeof parent === 'string' ? <Inherits from={parent} /> : undefined} />
  ),
};

const Inherits = ({ from }: { readonly from: string }) => (
  <>
    inherits from <Named of={`role:${from}`} />
  </>
);

function Effects({ role }: { readonly role: string }) {
  const { value, error, retry } = useCommand('role.read', { id: role });
  const parent = value?.parent;
  return (
    <>
      <Lines {...PERMISSIONS} of={{ role }} />
      {error && <Problem of={error} retry={retry} />}
      {typeof parent === 'string' && <Role id={parent} note="inherited" />}
    </>
  );
}

const PERMISSIONS: Listed = {
  command: 'role-permission.list',
  none: 'It has no permission of its own.',
  title: 'permissions',
  keyOf: ({ permission, effect }) => `${String(effect)} ${String(permission)}`,
  show: (item) => <Effect of={item} />,
};

function Effect({ of: { effect, permission, when } }: { readonly of: Item }) {
  const isAllow = effect === 'ALLOW';
  return (
    <>
      <span class={isAllow ? 'effect allow' : 'effect deny'}>
        <span aria-hidden="true">{isAllow ? '✓' : '✕'}</span> {isAllow ? 'allows' : 'denies'}
      </span>{' '}
      <code>{String(permission)}</code>
      {typeof when === 'string' && (
        <span class="condition">
          {' '}
          if <code>{when}</code>
        </span>
      )}
    </>
  );
}
