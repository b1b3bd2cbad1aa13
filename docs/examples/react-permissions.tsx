import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { createPermissions, type Permissions, type Resource } from '../../middleware/client/index.ts';

/**
 * Hooks that draw what the user may do (docs/guard-your-service.md). They hide buttons; they protect nothing: each
 * route behind a button has a guard of its own.
 *
 * In your own code import from `gatehouse-authz/client`.
 */
const Current = createContext<Permissions>(createPermissions({ url: '/permissions' }));

/** Loads the permissions at a scope for everything below it. */
export function PermissionsAt(props: { permissions: Permissions; scope: string; children: ReactNode }) {
  const { permissions, scope, children } = props;
  useEffect(() => {
    // A failed load allows nothing; the state has its error.
    permissions.load(scope).catch(() => undefined);
  }, [permissions, scope]);
  return <Current value={permissions}>{children}</Current>;
}

/** Whether to draw what needs a permission. Draws again when the permissions change. */
export function useCan(permission: string): boolean {
  const permissions = useContext(Current);
  useSyncExternalStore(permissions.subscribe, permissions.state, permissions.state);
  return permissions.can(permission);
}

/** The same where a condition looks at an object: false until the server has answered. */
export function useCanFor(permission: string, resource: Resource): boolean {
  const permissions = useContext(Current);
  const state = useSyncExternalStore(permissions.subscribe, permissions.state, permissions.state);
  const [isAllowed, setAllowed] = useState(false);
  const question = JSON.stringify(resource);
  useEffect(() => {
    let isCurrent = state.scope !== undefined;
    setAllowed(false);
    permissions.ask(permission, JSON.parse(question)).then((allowed) => {
      if (isCurrent) setAllowed(allowed);
    });
    return () => {
      isCurrent = false;
    };
  }, [permissions, permission, question, state.scope]);
  return isAllowed;
}

export function Toolbar(props: { record: Resource }) {
  const [canSee, canChange] = [useCan('grades'), useCanFor('records', props.record)];
  return (
    <nav>
      {canSee && <a href="/grades">Grades</a>}
      {canChange && <button type="button">Change</button>}
    </nav>
  );
}
