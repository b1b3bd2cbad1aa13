import { expect, test } from 'vitest';
import { gatehouse } from './support.ts';

/**
 * Mistakes that a newcomer makes, each with its message: what is wrong, where, and what to type. Those that need a table
 * or the network are in errors.integration.test.ts.
 */
const MISTAKES: readonly (readonly [typed: string, message: string])[] = [
  // Subcommands
  ['chekc', 'gatehouse: there is no subcommand chekc: did you mean check?'],
  ['allow tina', 'gatehouse: there is no subcommand allow: gatehouse --help lists them'],
  ['version', 'gatehouse: there is no subcommand version: did you mean --version?'],
  ['route tset', 'gatehouse route: there is no subcommand tset: did you mean test?'],
  ['user.delete id=ann', 'gatehouse: there is no subcommand user.delete: did you mean command user.delete?'],
  ['user.erase --help', 'gatehouse: there is no subcommand user.erase: did you mean command user.erase?'],
  ['chekc --help', 'gatehouse: there is no subcommand chekc: did you mean check?'],
  ['route tset -h', 'gatehouse route: there is no subcommand tset: did you mean test?'],
  ['help chekc', 'gatehouse help: there is no subcommand chekc: did you mean check?'],
  ['help check more', 'gatehouse help: check has no subcommands'],
  // Options
  ['check --jsom', 'gatehouse check: there is no option --jsom: did you mean --json?'],
  ['check --who tina', 'gatehouse check: there is no option --who: gatehouse check --help lists them'],
  ['check --table', 'gatehouse check: --table needs a value: --table <name>'],
  ['menu --kind role', 'gatehouse menu: --kind role is not one of page, permission'],
  ['who --limit many', 'gatehouse who: --limit many is not a whole number from 1 to 1000'],
  ['serve --port x', 'gatehouse serve: --port x is not a whole number from 0 to 65535'],
  [
    'check --at noon',
    'gatehouse check: --at noon is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01',
  ],
  [
    'route add GET /a',
    'gatehouse route add: --permission <template> is missing. gatehouse route add --help shows examples',
  ],
  // Arguments
  [
    'check',
    'gatehouse check: <subject> is missing. Usage: gatehouse check [options] <subject> <permission> <scope>',
  ],
  [
    'check tina@school.example grades North School',
    'gatehouse check: 4 arguments are too many: put a value with spaces in quotes. Usage: gatehouse check [options] <subject> <permission> <scope>',
  ],
  [
    'route test GET',
    'gatehouse route test: <path> is missing. Usage: gatehouse route test [options] <method> <path>',
  ],
  ['test', 'gatehouse test: <files> is missing. Usage: gatehouse test [options] <files...>'],
  [
    'load people people.csv',
    'gatehouse load: <kind> people is not one of users, subjects, memberships, assignments',
  ],
  ['completion tcsh', 'gatehouse completion: <shell> tcsh is not one of bash, zsh, fish'],
  // Commands and their fields
  ['command', 'gatehouse command: which command? gatehouse command --list shows all'],
  ['command user.crate', 'gatehouse command: there is no command user.crate: did you mean user.create?'],
  [
    'command user.create emial=a@b.example',
    'gatehouse command: user.create has no field emial: did you mean email?',
  ],
  [
    'command project.create scope=client:acme',
    'gatehouse command: project.create has no field scope: did you mean parent?',
  ],
  [
    'command group.create parent=tenant:acme',
    'gatehouse command: group.create has no field parent: did you mean scope?',
  ],
  ['command user.read user=ann', 'gatehouse command: user.read has no field user: did you mean id?'],
  [
    'command user.create scope=tenant:acme',
    'gatehouse command: user.create has no field scope: did you mean tenant?',
  ],
  ['command scope.move id=north', 'gatehouse command: scope.move has no field id: did you mean scope?'],
  [
    'command role.list tenant=tenant:acme',
    'gatehouse command: role.list has no field tenant: did you mean scope?',
  ],
  [
    'command scope.read type=ward',
    'gatehouse command: scope.read needs scope (reference such as ward:ID to a scope of an added type)',
  ],
  ['command user.create email', 'gatehouse command: email is not FIELD=VALUE or FIELD:=JSON'],
  ['command role.list limit=many', 'gatehouse command: limit: many is not a number'],
  ['command user.create mfaEnabled=yes', 'gatehouse command: mfaEnabled: yes is neither true nor false'],
  ['command user.create status=activ', 'gatehouse command: status: there is no activ: did you mean active?'],
  [
    'command user.create endsAt=tomorrow',
    'gatehouse command: endsAt: tomorrow is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01',
  ],
  [
    'command role.create scope=global',
    'gatehouse command: role.create needs name (string, at most 128 characters)',
  ],
  // Files
  ['test no-such-file.yaml', 'no-such-file.yaml: there is no such file'],
  ['plan no-such-file.yaml', 'no-such-file.yaml: there is no such file'],
  // Where the table is
  [
    'export',
    'gatehouse export: no table is named: give --table NAME or set TABLE_NAME. For a local table, start npx gatehouse-authz dev in another terminal and type here: export TABLE_NAME=gatehouse DYNAMODB_ENDPOINT=http://127.0.0.1:3001',
  ],
  [
    'export --table t --endpoint localhost:3001',
    'gatehouse export: --endpoint localhost:3001 is not a URL, such as http://127.0.0.1:8000',
  ],
  [
    'export --table t --function provisioning',
    'gatehouse export: --table and --function exclude each other: the function has its own table',
  ],
  [
    'export --lambda-endpoint http://127.0.0.1:3002',
    'gatehouse export: --lambda-endpoint is of a function: give --function NAME too',
  ],
];

test.each(MISTAKES)('gatehouse %s', async (typed, message) => {
  const args = typed.split(' ');
  const env = { DYNAMODB_ENDPOINT: undefined };
  expect(await gatehouse(args, { env })).toEqual({ code: 2, out: '', error: `${message}\n` });
  const { code, out } = await gatehouse(['--json', ...args], { env });
  const { error } = JSON.parse(out);
  expect({ code, error }).toEqual({
    code: 2,
    error: {
      code: expect.stringMatching(/^(?:usage|file)$/),
      message: error.problems ? message : message.replace(/^gatehouse[a-z -]*?: /, ''),
      retryable: false,
      ...(error.problems ? { problems: [message] } : {}),
    },
  });
});

test('no subcommand: the whole help, as an error', async () => {
  const { code, out, error } = await gatehouse([]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(error).toBe((await gatehouse(['--help'])).out);
});
