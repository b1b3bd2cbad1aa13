import { defined } from '../../table/defined.ts';
import { isId, isUlidOrUuid, parseRef } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import { readObject } from '../input.ts';
import { argument, DRY_RUN, OPERATION, repeated, text, type ValuesOf, WRITING } from '../options.ts';
import { columns, plain } from '../print.ts';
import { accepted, isFault, openSender, withField } from '../provisioning.ts';
import { lookUp, type Names, type Typed } from '../references.ts';
import { subcommand } from '../subcommand.ts';

const OPTIONS = {
  type: text('<type>', 'the type of the root scope (default: tenant)'),
  id: text('<id>', 'the id of the root scope (default: a new one)'),
  attribute: repeated('<field=value>', 'a field of the root scope; may be repeated'),
  email: text('<email>', 'the email of the administrator: an existing user, or a new one'),
  displayName: text('<name>', 'the name of the administrator, if the user is new'),
  user: text('<user>', 'the administrator, an existing user: an email, a username or an id'),
  role: repeated('<name=permissions>', 'a role and what it allows; may be repeated'),
  template: repeated('<name=template>', 'a role and the template it is copied from; may be repeated'),
  adminRole: repeated('<role>', 'a role of the administrator: a name, a path or an id; may be repeated'),
  input: text('<file>', 'a manifest with more of the tenant; - is the standard input'),
  dryRun: DRY_RUN,
  operation: OPERATION,
  ...WRITING,
};
type OnboardOptions = ValuesOf<typeof OPTIONS>;

interface Result {
  readonly scope: string;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly users: readonly { readonly id: string; readonly name: string; readonly isNew: boolean }[];
}

/** `gatehouse onboard`: a tenant with all that it begins with, in one transaction. */
export const addOnboard = subcommand({
  name: 'onboard',
  summary: 'create a tenant with its roles and its first administrator',
  description: 'Creates a root scope, its roles and its first administrator in one transaction.',
  arguments: [argument('<name>', 'the name of the tenant')],
  options: OPTIONS,
  examples: `  gatehouse onboard 'Acme Corp' --email ann@acme.example --role 'admin=users,reports:*:*' --admin-role admin
  gatehouse onboard Acme --type client --email ann@acme.example --template teacher=01M7… --admin-role 01M7…
  gatehouse onboard North --type location --attribute code=NYC001 --user 01M7… --admin-role 01M7… --dry-run
  gatehouse onboard Acme --input acme.yaml --operation onboard-acme`,
  notes: `In a --role, !PERMISSION is a permission that the role denies. With exactly one
--role or --template, it is also the role of the administrator unless
--admin-role is given.`,
  run: async ([name], options, around) => {
    const given = options.input === undefined ? {} : await readObject(options.input, around);
    // Before anything is read: what is wrong with the options themselves.
    manifestOf(name, options, given);
    const { deliver, actor, names } = await openSender(options, around);
    const input = { manifest: manifestOf(name, await withIds(names, options, given), given) };
    const { dryRun, operation } = options;
    const event = { command: 'tenant.onboard', input, dryRun, operationId: operation, actor };
    const { answer, operationId } = await deliver(event);
    const { token, result } = accepted(
      answer,
      (error) => `${withField(error)}${isFault(error) ? '' : '; nothing was written'}`,
    );
    const { scope, roles, users } = result as unknown as Result;
    const rows = [
      [scope, plain(name)],
      ...roles.map((role) => [`role:${role.id}`, plain(role.name)]),
      ...users.map((user) => [
        `user:${user.id}`,
        `${plain(user.name)}, ${user.isNew ? 'a new user' : 'who exists already'}`,
      ]),
    ];
    const end = dryRun
      ? 'would be created; nothing was written, and the ids will be different'
      : `token ${token}\noperation ${operationId}`;
    return {
      data: { ...result, token, operationId },
      text: `${columns(rows).join('\n')}\n${end}\n`,
    };
  },
});

/** The options with ids in the place of names of users, roles and templates that exist. Throws NameError. */
async function withIds(names: Names, options: OnboardOptions, given: Row): Promise<OnboardOptions> {
  const { user, adminRole, template } = options;
  const known = new Set([...Object.keys(rolesOf('', options)), ...Object.keys((given.roles as Row) ?? {})]);
  const idOf = async (typed: Typed, text: string) =>
    isUlidOrUuid(text) ? text : parseRef((await lookUp(names, typed, text)).ref, typed.label).id;
  const role = (text: string) =>
    known.has(text) ? text : idOf({ label: '--admin-role', kind: 'role', takesIds: true }, text);
  return {
    ...options,
    adminRole: await Promise.all(adminRole.map(role)),
    template: await Promise.all(
      template.map(async (text) => {
        const [name, of] = split('--template', text, 'TEMPLATE');
        return `${name}=${await idOf({ label: '--template', kind: 'role-template', takesIds: true }, of)}`;
      }),
    ),
    user:
      user === undefined
        ? undefined
        : await idOf({ label: '--user', kind: 'subject', type: 'user', takesIds: true }, user),
  };
}

/** `NAME=REST`. */
function split(option: string, text: string, rest = 'VALUE'): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`${option} ${text} is not NAME=${rest}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

type Row = Readonly<Record<string, unknown>>;

const permissionsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

function rolesOf(owner: string, { role, template }: OnboardOptions): Row {
  const written = role.map((text) => {
    const [name, permissions] = split(
      '--role',
      text,
      'PERMISSION,…; an existing role is given with --admin-role',
    );
    const all = permissionsOf(permissions);
    const deny = all.flatMap((each) => (each.startsWith('!') ? [each.slice(1)] : []));
    return [name, { owner, allow: all.filter((each) => !each.startsWith('!')), deny }] as const;
  });
  const copied = template.map((text) => {
    const [name, id] = split('--template', text, 'TEMPLATE');
    return [name, { owner, template: id }] as const;
  });
  const names = [...written, ...copied].map(([name]) => name);
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice !== undefined) throw new UsageError(`the role ${twice} is given twice`);
  return Object.fromEntries<Row>([...written, ...copied]);
}

/** The administrator with a grant of its roles; nobody where a manifest says who it is. */
function usersOf(
  tenant: string,
  roles: readonly string[],
  { email, user, displayName, input }: OnboardOptions,
): Row {
  if (email !== undefined && user !== undefined) throw new UsageError('give --email or --user, not both');
  if (user !== undefined && displayName !== undefined)
    throw new UsageError('--display-name is for a new user of --email: a user of --user keeps their name');
  const subject = email === undefined ? { id: user, existing: true } : { email };
  const key = displayName ?? email ?? user;
  if (key === undefined) {
    if (input !== undefined && roles.length === 0) return {};
    throw new UsageError('who is the administrator? Give --email or --user');
  }
  if (roles.length === 0) throw new UsageError('which role does the administrator get? Give --admin-role');
  return { [key]: { ...subject, grants: { [tenant]: roles } } };
}

/** The options as a manifest of the tenant, over that of `--input`. */
function manifestOf(name: string, options: OnboardOptions, given: Row): Row {
  const { type = 'tenant', id, attribute, adminRole } = options;
  const roles = rolesOf(name, options);
  const [only, ...others] = Object.keys(roles);
  const granted = adminRole.length === 0 && only !== undefined && others.length === 0 ? [only] : adminRole;
  // A name of the manifest is a role of it; any other is the id of a role that exists.
  const known = { ...(given.roles as Row | undefined), ...roles };
  const existing = granted.filter((role) => !Object.hasOwn(known, role) && isId(role));
  const sections: Readonly<Record<string, Row>> = {
    scopes: {
      [name]: {
        ...Object.fromEntries(attribute.map((text) => split('--attribute', text))),
        type,
        ...defined({ id }),
      },
    },
    roles: { ...roles, ...Object.fromEntries(existing.map((role) => [role, { id: role, existing: true }])) },
    users: usersOf(name, granted, options),
  };
  const over = ([section, of]: [string, Row]) => [section, { ...(given[section] as Row | undefined), ...of }];
  return { ...given, ...Object.fromEntries(Object.entries(sections).map(over)) };
}
