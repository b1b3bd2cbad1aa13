import type { CommandDescription } from '../../provisioning/documents/commands.ts';
import { isId } from '../../table/identifiers.ts';
import { addConnectionOptions } from '../connection.ts';
import { OK, UsageError } from '../context.ts';
import { findCommand, readInput } from '../input.ts';
import { asJson, columns, plain } from '../print.ts';
import { addActorOption, connectForWriting, isFault, type WriteOptions, withField } from '../provisioning.ts';
import type { Subcommand } from '../subcommand.ts';
import { collect } from './route/shared.ts';

interface OnboardOptions extends WriteOptions {
  readonly type?: string;
  readonly id?: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly user?: string;
  readonly attribute: readonly string[];
  readonly role: readonly string[];
  readonly template: readonly string[];
  readonly adminRole: readonly string[];
  readonly input?: string;
  readonly dryRun?: boolean;
  readonly operation?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  gatehouse onboard 'Acme Corp' --email ann@acme.example --role 'admin=users,reports:*:*' --admin-role admin
  gatehouse onboard Acme --type client --email ann@acme.example --template teacher=01M7… --admin-role 01M7…
  gatehouse onboard North --type location --attribute code=NYC001 --user 01M7… --admin-role 01M7… --dry-run
  gatehouse onboard Acme --input acme.yaml --operation onboard-acme

Of a --role, !PERMISSION is one that it denies. With one --role or --template and no --admin-role, it is that.

Exit codes:
  0  all of it is there
  2  wrong use, a refusal or a fault: nothing of it is there (after a fault with an operation id: perhaps all of it)`;

interface Result {
  readonly scope: string;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly admin: { readonly id: string; readonly isNew: boolean; readonly grant: string };
}

/** `gatehouse onboard`: a tenant with all that it begins with, in one transaction. */
export const addOnboard: Subcommand = (program, around, finish) => {
  const command = program
    .command('onboard')
    .summary('make a tenant with its roles and its first administrator')
    .description(
      'Makes a root scope, its roles and its first administrator, as one transaction or not at all.',
    )
    .argument('<name>', 'the name of the tenant')
    .option('--type <type>', 'the type of its root scope; tenant unless given')
    .option('--id <id>', 'its id; a new one unless given')
    .option('--attribute <field=value>', 'another field of the root scope, as often as needed', collect, [])
    .option('--email <email>', 'of the administrator, who is made unless there is a user with it')
    .option('--display-name <name>', 'of the administrator, where it is a new user')
    .option('--user <id>', 'the administrator, by the id of a user')
    .option('--role <name=permissions>', 'a role and what it allows, as often as needed', collect, [])
    .option('--template <name=id>', 'a role from a template, as often as needed', collect, [])
    .option('--admin-role <role>', 'a role that the administrator holds: its name, or an id', collect, [])
    .option('--input <file>', 'the input of tenant.onboard as YAML or JSON; - is the standard input')
    .option('--dry-run', 'look whether it would be done, write nothing')
    .option('--operation <id>', 'the id under which a repetition is recognised; a new one unless given')
    .option('--json', 'print data');
  addActorOption(addConnectionOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (name: string, options: OnboardOptions) => {
      const described = findCommand('tenant.onboard') as CommandDescription;
      const input = await readInput(described, fieldsOf(name, options), options.input, around);
      const { deliver, actor } = connectForWriting(options, around);
      const { operation } = options;
      const { answer, operationId } = await deliver({
        ...{ command: 'tenant.onboard', input },
        ...(options.dryRun ? { dryRun: true } : {}),
        ...(operation === undefined ? {} : { operationId: operation }),
        ...(actor === undefined ? {} : { actor }),
      });
      if (!answer.ok) {
        const fate = isFault(answer.error) ? '' : '; nothing was written';
        throw new Error(`${withField(answer.error)}${fate}`);
      }
      const { scope, roles, admin } = answer.result as unknown as Result;
      if (options.json) around.out(asJson({ ...answer.result, token: answer.token, operationId }));
      else {
        const rows = [
          [scope, plain(name)],
          ...roles.map((role) => [`role:${role.id}`, plain(role.name)]),
          [`user:${admin.id}`, `its administrator, ${admin.isNew ? 'a new user' : 'who was there already'}`],
        ];
        const end = options.dryRun
          ? 'would be made; nothing was written, and the ids will be others'
          : `token ${answer.token}\noperation ${operationId}`;
        around.out(`${columns(rows).join('\n')}\n${end}\n`);
      }
      finish(OK);
    });
};

/** `NAME=REST`, of which the rest may be missing. */
function split(option: string, text: string, isNeeded: boolean): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 0 && !isNeeded) return [text, ''];
  if (equals < 1)
    throw new UsageError(`${option} ${text} is not NAME=${isNeeded ? 'VALUE' : 'PERMISSION,…'}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

const effectOf = (text: string) =>
  text.startsWith('!')
    ? { permission: text.slice(1), effect: 'DENY' }
    : { permission: text, effect: 'ALLOW' };

/** The options as fields of the command, over those of `--input`. */
function fieldsOf(name: string, options: OnboardOptions): readonly string[] {
  const { type, id, email, displayName, user } = options;
  const roles = [
    ...options.role.map((text) => {
      const [role, permissions] = split('--role', text, false);
      const named = permissions.split(',').map((each) => each.trim());
      return { name: role, permissions: named.filter((each) => each !== '').map(effectOf) };
    }),
    ...options.template.map((text) => {
      const [role, template] = split('--template', text, true);
      if (!isId(template))
        throw new UsageError(`--template ${text}: ${template} is no id of a role template`);
      return { name: role, template };
    }),
  ];
  const attributes = Object.fromEntries(options.attribute.map((text) => split('--attribute', text, true)));
  const [only] = roles;
  const adminRoles =
    options.adminRole.length === 0 && only && roles.length === 1 ? [only.name] : options.adminRole;
  const json = (field: string, value: unknown) => `${field}:=${JSON.stringify(value)}`;
  return [
    json('name', name),
    ...Object.entries({ type, id, email, displayName, user }).flatMap(([field, value]) =>
      value === undefined ? [] : [json(field, value)],
    ),
    ...(options.attribute.length === 0 ? [] : [json('attributes', attributes)]),
    ...(roles.length === 0 ? [] : [json('roles', roles)]),
    ...(adminRoles.length === 0 ? [] : [json('adminRoles', adminRoles)]),
  ];
}
