import { useCommand } from '../../calls.ts';
import type { Item } from '../../load-page.ts';
import { Disclosure } from '../../parts/disclosure.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Lines } from './lines.tsx';

/** A role as edges name it, as a reference. */
export const roleRef = (role: unknown): string => `role:${String(role)}`;

export interface RoleProps {
  readonly id: string;
  readonly name: string;
  /** What else is said of it. */
  readonly note?: string | undefined;
}

/** A role; opened, what it allows and denies, with what it inherits. */
export function Role({ id, name, note }: RoleProps) {
  return (
    <Disclosure
      summary={
        <>
          <span class="kind">role</span> <bdi class="name">{name}</bdi>
          {note !== undefined && <span class="note"> {note}</span>}
        </>
      }
    >
      {() => <Effects role={id} />}
    </Disclosure>
  );
}

function Effects({ role }: { readonly role: string }) {
  const { value, error, retry } = useCommand('role.read', { id: role });
  const parent = value?.parent;
  return (
    <>
      <Lines
        of={{ command: 'role-permission.list', input: { role } }}
        none="It has no permission of its own."
        title="permissions"
        keyOf={({ permission, effect }) => `${String(effect)} ${String(permission)}`}
        show={(item) => <Effect of={item} />}
      />
      {error && <Problem of={error} retry={retry} />}
      {typeof parent === 'string' && <Parent id={parent} />}
    </>
  );
}

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

function Parent({ id }: { readonly id: string }) {
  const { value } = useCommand('role.read', { id });
  return <Role id={id} name={String(value?.name ?? id)} note="inherited" />;
}
