import type { Command } from 'commander';
import { isId, isRef, parseRef } from '../../table/identifiers.ts';
import { addConnectionOptions } from '../connection.ts';
import { fieldsOf, findCommand } from '../input.ts';
import {
  addActorOption,
  connectForWriting,
  type Editing,
  RefusedError,
  toRefused,
  type WriteOptions,
} from '../provisioning.ts';
import { DEFAULTS, type Times } from '../revocation/layers.ts';
import { type Done, report } from '../revocation/report.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, type Surroundings, UsageError } from '../surroundings.ts';

interface RevokeOptions extends WriteOptions {
  readonly cacheTtl?: string;
  readonly outageTtl?: string;
  readonly resultTtl?: string;
  readonly jwtLife?: string;
  readonly json?: boolean;
}

const EXIT_CODES = `
Exit codes:
  0  it is revoked; what may still say yes is in the answer
  2  wrong use, a refusal or a fault: read it, and send it again`;

const withRevokeOptions = (command: Command, examples: string): Command =>
  addActorOption(
    addConnectionOptions(
      command
        .option(
          '--cache-ttl <seconds>',
          `CACHE_TTL_SECONDS of the authorizer (${DEFAULTS.cacheTtl} unless given)`,
        )
        .option('--outage-ttl <seconds>', 'CACHE_OUTAGE_TTL_SECONDS of the authorizer (off unless given)')
        .option('--result-ttl <seconds>', "the result cache of API Gateway's authorizer (off unless given)")
        .option('--json', 'print data'),
    ),
  ).addHelpText('after', `\nExamples:\n${examples}\n${EXIT_CODES}`);

function seconds(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^\d{1,8}$/.test(text)) throw new UsageError(`${option} ${text} is no whole number of seconds`);
  return Number(text);
}

const timesOf = (
  { cacheTtl, outageTtl, resultTtl, jwtLife }: RevokeOptions,
  env: Surroundings['env'],
): Times => ({
  cacheTtl: seconds('--cache-ttl', cacheTtl ?? (env.CACHE_TTL_SECONDS || undefined), DEFAULTS.cacheTtl),
  outageTtl: seconds(
    '--outage-ttl',
    outageTtl ?? (env.CACHE_OUTAGE_TTL_SECONDS || undefined),
    DEFAULTS.outageTtl,
  ),
  resultTtl: seconds('--result-ttl', resultTtl, DEFAULTS.resultTtl),
  webSocket: DEFAULTS.webSocket,
  jwtLife: jwtLife === undefined ? undefined : seconds('--jwt-life', jwtLife, 0),
});

type Input = Readonly<Record<string, unknown>>;

/** Sends one write and answers its token. */
async function write({ deliver, actor }: Editing, command: string, input: Input): Promise<string> {
  const { answer } = await deliver({ command, input, ...(actor === undefined ? {} : { actor }) });
  if (!answer.ok) throw toRefused(answer.error);
  return answer.token;
}

/** Ends in what was asked for: the bound, from the moment of the answer on. */
function tell(
  done: Done,
  times: Times,
  around: Surroundings,
  options: RevokeOptions,
  at = around.now(),
): void {
  around.out(report(done, times, at, options.json === true));
}

interface Person {
  readonly type: 'user' | 'technical-user';
  readonly id: string;
  readonly status: string;
}

async function findPerson({ send }: Editing, text: string): Promise<Person> {
  const ref = isRef(text) ? parseRef(text, 'user') : isId(text) ? { type: 'user', id: text } : undefined;
  if (ref === undefined && !text.includes('@'))
    throw new UsageError(`USER ${text} is neither user:ID, nor technical-user:ID, nor an email`);
  const type = ref?.type ?? 'user';
  if (type !== 'user' && type !== 'technical-user')
    throw new UsageError(`USER ${text} is neither user:ID nor technical-user:ID`);
  const { id, status } = await send(`${type}.read`, ref ? { id: ref.id } : { email: text });
  return { type, id: String(id), status: String(status) };
}

/**
 * What a person holds, in the order in which it goes: what gives most goes first. Each list is read with its edges,
 * each edge goes in a transaction of its own; whoever is interrupted begins again.
 */
const HELD: readonly (readonly [string, readonly string[]])[] = [
  ['global-role', ['user', 'role']],
  ['assignment', ['user', 'scope', 'role']],
  ['grant', ['id']],
  ['membership', ['user', 'group']],
];

async function strip(editing: Editing, { type, id }: Person): Promise<number> {
  const user = type === 'user' ? id : `${type}:${id}`;
  let gone = 0;
  const remove = async (command: string, input: Input): Promise<void> => {
    await write(editing, command, input).then(
      () => {
        gone += 1;
      },
      (error: unknown) => {
        // Somebody else was faster, or there was none.
        if (!(error instanceof RefusedError) || error.code !== 'not_found') throw error;
      },
    );
  };
  await remove('admin.delete', { user });
  for (const [kind, names] of HELD) {
    for (let cursor: unknown; ; ) {
      const page = await editing.send(`${kind}.list`, { user, ...(cursor === undefined ? {} : { cursor }) });
      for (const edge of page.items as readonly Input[])
        await remove(`${kind}.delete`, Object.fromEntries(names.map((name) => [name, edge[name]])));
      if (page.cursor === undefined) break;
      cursor = page.cursor;
    }
  }
  return gone;
}

/** `gatehouse revoke-user`: closes a user, at once and everywhere. */
export const addRevokeUser: Subcommand = (program, around, finish) => {
  const command = program
    .command('revoke-user')
    .summary('let a user in nowhere any more, at once')
    .description(
      'Disables a user or technical user in one transaction, and says how long caches may still say yes.',
    )
    .argument('<user>', 'user:ID, technical-user:ID or an email')
    .option('--strip', 'then take away all grants, memberships, assignments and roles, one by one');
  withRevokeOptions(
    command,
    '  gatehouse revoke-user ann@acme.example --actor security\n  gatehouse revoke-user user:01M7YAMYCAWSND2TZ7F47P6DYF --strip --result-ttl 300',
  ).action(async (text: string, options: RevokeOptions & { readonly strip?: boolean }) => {
    const times = timesOf(options, around.env);
    const editing = connectForWriting(options, around);
    const person = await findPerson(editing, text);
    const status = person.type === 'user' ? 'disabled' : 'inactive';
    const before = person.status !== 'active';
    // Written even so: what was read may be older than what others write, and this has its token.
    const token = await write(editing, `${person.type}.update`, { id: person.id, status });
    const at = around.now();
    const stripped = options.strip ? await strip(editing, person) : undefined;
    const revoked = `${person.type}:${person.id}`;
    const taken = stripped === undefined ? '' : `; ${stripped} of its grants, memberships and roles are gone`;
    const said = `${revoked} is ${status}${before ? ` (it was ${person.status})` : ''}${taken}`;
    tell(
      { revoked, before, text: said, token, ...(stripped === undefined ? {} : { stripped }) },
      times,
      around,
      options,
      at,
    );
    finish(FINE);
  });
};

/** The word by which a root of this type is closed: `suspended` where it can be, else `inactive`. */
function closedStatus(type: string): { readonly command: string; readonly status: string } | undefined {
  const command = findCommand(`${type}.update`) === undefined ? 'scope.update' : `${type}.update`;
  const described = findCommand(command);
  const property = described && fieldsOf(described).find(({ name }) => name === 'status')?.property;
  const words = property?.enum ?? property?.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
  const status = ['suspended', 'inactive'].find((word) => words.includes(word));
  return status === undefined ? undefined : { command, status };
}

/** `gatehouse suspend-tenant`: closes a root scope and all below it. */
export const addSuspendTenant: Subcommand = (program, around, finish) => {
  const command = program
    .command('suspend-tenant')
    .summary('close a tenant with all below it, at once')
    .description('Suspends a root scope in one transaction, and says how long caches may still say yes.')
    .argument('<tenant>', 'type:ID, as tenant:ID or client:ID');
  withRevokeOptions(
    command,
    '  gatehouse suspend-tenant tenant:01M7YAMY51QT61RYW2RQE37W98 --actor billing',
  ).action(async (text: string, options: RevokeOptions) => {
    if (!isRef(text)) throw new UsageError(`TENANT ${text} is not type:ID, as tenant:ID (a ULID or UUID)`);
    const { type, id } = parseRef(text, 'tenant');
    const closed = closedStatus(type);
    if (!closed) throw new UsageError(`TENANT ${text}: a ${type} cannot be suspended`);
    const times = timesOf(options, around.env);
    const editing = connectForWriting(options, around);
    const name = closed.command === 'scope.update' ? { type, id } : { id };
    const found = await editing.send(closed.command.replace(/update$/, 'read'), name);
    if (found.root !== text)
      throw new UsageError(
        `${text} is no tenant: it stands in ${found.root}. gatehouse command ${closed.command} id=${id} status=${closed.status} closes only what is below it`,
      );
    const token = await write(editing, closed.command, { ...name, status: closed.status });
    const before = found.status !== 'active';
    const said = `${text} is ${closed.status}, and closed with all below it${before ? ` (it was ${found.status})` : ''}`;
    tell({ revoked: text, before, text: said, token }, times, around, options);
    finish(FINE);
  });
};

const JWT_LIFE = "what is left of the JWT's life, where the authorizer's REVOCATION is not set";

/** `gatehouse revoke-session`: ends a login session. */
export const addRevokeSession: Subcommand = (program, around, finish) => {
  const command = program
    .command('revoke-session')
    .summary('end a login session, at once')
    .description('Revokes a login session in one transaction, and says how long caches may still say yes.')
    .argument('<id>', 'the id of the session: the claim that REVOCATION names')
    .option('--jwt-life <seconds>', JWT_LIFE);
  withRevokeOptions(command, '  gatehouse revoke-session 01M7YAMYCAWSND2TZ7F47P6DYF').action(
    async (id: string, options: RevokeOptions) => {
      if (!isId(id)) throw new UsageError(`ID ${id} is neither a ULID nor a UUID`);
      const times = timesOf(options, around.env);
      const editing = connectForWriting(options, around);
      const { status } = await editing.send('session.read', { id });
      const token = await write(editing, 'session.update', { id, status: 'revoked' });
      const before = status !== 'active';
      const said = `session:${id} is revoked${before ? ` (it was ${status})` : ''}`;
      tell({ revoked: `session:${id}`, before, text: said, token }, times, around, options);
      finish(FINE);
    },
  );
};

/** `gatehouse revoke-token`: ends an API token, or a JWT by its id. */
export const addRevokeToken: Subcommand = (program, around, finish) => {
  const command = program
    .command('revoke-token')
    .summary('end a token, at once')
    .description('Revokes a token in one transaction, and says how long caches may still say yes.')
    .argument('<id>', 'the id of the token')
    .option('--jwt-life <seconds>', JWT_LIFE);
  withRevokeOptions(command, '  gatehouse revoke-token 01M7YAMYCAWSND2TZ7F47P6DYF').action(
    async (id: string, options: RevokeOptions) => {
      if (!isId(id))
        throw new UsageError(`ID ${id} is neither a ULID nor a UUID: the id, not the token itself`);
      const times = timesOf(options, around.env);
      const editing = connectForWriting(options, around);
      const { revoked } = await editing.send('token.read', { id });
      const before = revoked === true;
      const token = before ? '' : await write(editing, 'token.revoke', { id });
      const said = `token:${id} ${before ? 'was revoked before' : 'is revoked'}`;
      tell({ revoked: `token:${id}`, before, text: said, token }, times, around, options);
      finish(FINE);
    },
  );
};
