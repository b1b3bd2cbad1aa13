/** Calls provisioning: one event, one answer. */
export type Invoke = (event: Readonly<Record<string, unknown>>) => Promise<unknown>;

type Result = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Runs the commands of the sample world. Each has its own operation id, so a table that has the world already
 * (DATA=file) repeats the stored answers and nothing is written twice.
 */
export function createProvisioner(invoke: Invoke) {
  return async (
    command: string,
    label: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Result> => {
    const operationId = `sample-world:${command}:${label}`;
    const answer = (await invoke({ command, input, operationId, actor: 'sample-world' })) as
      | { readonly ok: true; readonly result: Result }
      | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };
    if (!answer.ok)
      throw new Error(`sample world, ${command} (${label}): ${answer.error.code}: ${answer.error.message}`);
    return answer.result;
  };
}

export type Provision = ReturnType<typeof createProvisioner>;

/**
 * The id of what has this name: a ULID that is the same in every stack, so that documents can print it, and that ends
 * with the name (in Crockford's letters, which lack I, L, O and U).
 */
export function idOf(name: string): string {
  const letters = name.toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0').replaceAll('U', 'V');
  return `01M8${letters
    .replaceAll(/[^0-9A-Z]/g, '')
    .slice(-22)
    .padStart(22, '0')}`;
}

/** A role with what it allows and denies. */
export async function createRole(
  provision: Provision,
  role: { readonly name: string; readonly scope: string; readonly parent?: string },
  effects: { readonly allow?: readonly string[]; readonly deny?: readonly string[] },
): Promise<string> {
  const { id } = await provision('role.create', `${role.scope} ${role.name}`.replace(/^\S+:\S+/, 'owned'), {
    id: idOf(role.name),
    ...role,
  });
  for (const [effect, permissions] of [
    ['ALLOW', effects.allow],
    ['DENY', effects.deny],
  ] as const) {
    for (const permission of permissions ?? []) {
      await provision('role-permission.create', `${role.name} ${permission}`, {
        role: id,
        permission,
        effect,
      });
    }
  }
  return id;
}

/** A user with an email; the id is of what stands before the `@`. */
export async function createUser(
  provision: Provision,
  user: Readonly<Record<string, unknown>> & { readonly email: string },
): Promise<string> {
  return (await provision('user.create', user.email, { id: idOf(user.email.replace(/@.*/, '')), ...user }))
    .id;
}

/** A group at a scope with a role. */
export async function createGroup(
  provision: Provision,
  group: { readonly scope: string; readonly name: string; readonly groupType?: 'TEACHER' | 'VOLUNTEER' },
  role: string,
): Promise<string> {
  const { id } = await provision('group.create', group.name, { id: idOf(group.name), ...group });
  await provision('group-role.create', group.name, { group: id, role });
  return id;
}

/** The permission and scope of a route such as `GET /tenants/{tenantId}/tickets`. */
export async function createRoute(
  provision: Provision,
  route: string,
  permission: string,
  scope: string,
): Promise<void> {
  const [method, path] = route.split(' ');
  await provision('route.create', route, { method, path, permission, scope });
}
