import { commandsOn, endsOfMembership } from '../../provisioning/index.ts';
import { parseSubjectRef } from '../../table/identifiers.ts';
import { flag, SUBJECT } from '../options.ts';
import { RefusedError, type Sender } from '../provisioning.ts';
import { referenceOf } from '../references.ts';
import { revocation } from '../revocation/subcommand.ts';

/** Throws NameError for a name that nothing has, or several have. */
async function findSubject({ send, names }: Sender, text: string) {
  const ref = await referenceOf(names, { label: 'USER', kind: 'subject' }, text);
  const node = parseSubjectRef(ref, 'user');
  const { read, close } = commandsOn(ref, 'subject');
  const { status } = await send(read.command, read.input);
  // As edges name it.
  const user = node.type === 'user' ? node.id : ref;
  return { ref, close, user, status: String(status) };
}

/** The edges of a subject and the fields that identify each, in the order of removal: what grants most goes first. */
const EDGES: readonly (readonly [string, readonly string[]])[] = [
  ['global-role', ['user', 'role']],
  ['assignment', ['user', 'scope', 'role']],
  ['grant', ['id']],
];

/** Removes each edge in a transaction of its own. If it is interrupted, the command can be repeated. */
async function removeEdges({ list, write }: Sender, user: string): Promise<number> {
  let removed = 0;
  const remove = async (command: string, input: Readonly<Record<string, unknown>>): Promise<void> => {
    try {
      await write(command, input);
      removed += 1;
    } catch (error) {
      // There is none, or another process has removed it.
      if (!(error instanceof RefusedError) || error.code !== 'not_found') throw error;
    }
  };
  await remove('admin.delete', { user });
  for (const [kind, fields] of EDGES)
    for (const edge of await list(`${kind}.list`, { user }))
      await remove(`${kind}.delete`, Object.fromEntries(fields.map((name) => [name, edge[name]])));
  for (const edge of await list('membership.list', { user }))
    for (const { command, input } of endsOfMembership(edge)) await remove(command, input);
  return removed;
}

/** `gatehouse revoke-user`: disables a user everywhere. */
export const addRevokeUser = revocation({
  name: 'revoke-user',
  summary: 'disable a user, everywhere',
  description: 'Disables a user, a technical user or a subject of an added type',
  argument: ['<user>', SUBJECT],
  options: { strip: flag('also remove all grants, memberships, assignments and global roles') },
  examples:
    '  gatehouse revoke-user ann@acme.example --actor security\n  gatehouse revoke-user user:01M7YAMYCAWSND2TZ7F47P6DYF --strip --yes --result-ttl 300',
  revoke: async (editing, argument, { strip }, agreed) => {
    const subject = await findSubject(editing, argument);
    const before = subject.status !== 'active';
    // Written even if it was disabled: the read may be stale, and the caller needs this write's token.
    const sent = subject.close;
    const removes = strip ? ', and removes all its grants, memberships, assignments and global roles' : '';
    const undo = strip ? ': what is removed is granted anew, one by one' : '';
    await agreed(`this disables ${subject.ref}${removes}${undo}`, sent);
    const token = await editing.write(sent.command, sent.input);
    const stripped = strip ? await removeEdges(editing, subject.user) : undefined;
    const revoked = subject.ref;
    const text = [
      `${revoked} is ${sent.input.status}${before ? ` (it was ${subject.status})` : ''}`,
      ...(stripped === undefined ? [] : [`${stripped} of its grants, memberships and roles are removed`]),
    ].join('; ');
    return { revoked, kind: 'subject' as const, before, text, token, stripped };
  },
});
