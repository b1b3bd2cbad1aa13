import { isId, isRef, parseRef } from '../../table/identifiers.ts';
import { connectForWriting, type Editing, RefusedError } from '../provisioning.ts';
import { type RevokeOptions, timesOf, withRevokeOptions } from '../revocation/options.ts';
import { report } from '../revocation/report.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, UsageError } from '../surroundings.ts';

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
  const remove = async (...sent: Parameters<Editing['write']>): Promise<void> => {
    await editing.write(...sent).then(
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
      for (const edge of page.items as readonly Readonly<Record<string, unknown>>[])
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
    const token = await editing.write(`${person.type}.update`, { id: person.id, status });
    const at = around.now();
    const stripped = options.strip ? await strip(editing, person) : undefined;
    const revoked = `${person.type}:${person.id}`;
    const taken = stripped === undefined ? '' : `; ${stripped} of its grants, memberships and roles are gone`;
    const said = `${revoked} is ${status}${before ? ` (it was ${person.status})` : ''}${taken}`;
    const done = { revoked, before, text: said, token, ...(stripped === undefined ? {} : { stripped }) };
    around.out(report(done, times, at, options.json === true));
    finish(FINE);
  });
};
