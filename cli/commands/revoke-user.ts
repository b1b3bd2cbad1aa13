import { Option } from 'commander';
import { isId, isRef, parseRef } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import { type Editing, listAll, RefusedError } from '../provisioning.ts';
import { type RevokeOptions, revocation } from '../revocation/subcommand.ts';

interface Subject {
  readonly type: 'user' | 'technical-user';
  readonly id: string;
  readonly status: string;
}

/** A reference names one subject. Any other text is the id of a user or an email, and nothing tells which. */
async function findSubject({ send }: Editing, text: string): Promise<Subject> {
  const read = async (type: Subject['type'], by: Readonly<Record<string, string>>): Promise<Subject> => {
    const { id, status } = await send(`${type}.read`, by);
    return { type, id: String(id), status: String(status) };
  };
  if (isRef(text)) {
    const { type, id } = parseRef(text, 'user');
    if (type === 'user' || type === 'technical-user') return read(type, { id });
    throw new UsageError(`USER ${text} is neither user:ID nor technical-user:ID`);
  }
  const isEmail = text.includes('@');
  if (!isId(text) && !isEmail)
    throw new UsageError(`USER ${text} is neither user:ID, nor technical-user:ID, nor an id, nor an email`);
  if (!isEmail) return read('user', { id: text });
  const byId = isId(text) ? await unlessMissing(read('user', { id: text })) : undefined;
  if (!byId) return read('user', { email: text });
  const byEmail = await unlessMissing(read('user', { email: text }));
  if (byEmail && byEmail.id !== byId.id)
    throw new UsageError(
      `USER ${text} is the id of one user and the email of user:${byEmail.id}: give user:ID of the one you mean`,
    );
  return byId;
}

/** Undefined if there is no such user, or the text is not even an email. */
const unlessMissing = (found: Promise<Subject>): Promise<Subject | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof RefusedError && (error.code === 'not_found' || error.code === 'invalid'))
      return undefined;
    throw error;
  });

/** The edges of a subject and the fields that identify each, in the order of removal: what grants most goes first. */
const EDGES: readonly (readonly [string, readonly string[]])[] = [
  ['global-role', ['user', 'role']],
  ['assignment', ['user', 'scope', 'role']],
  ['grant', ['id']],
  ['membership', ['user', 'group']],
];

/** Removes each edge in a transaction of its own. If it is interrupted, the command can be repeated. */
async function removeEdges({ send, write }: Editing, { type, id }: Subject): Promise<number> {
  const user = type === 'user' ? id : `${type}:${id}`;
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
    for await (const edge of listAll(send, `${kind}.list`, { user }))
      await remove(`${kind}.delete`, Object.fromEntries(fields.map((name) => [name, edge[name]])));
  return removed;
}

/** `gatehouse revoke-user`: disables a user everywhere. */
export const addRevokeUser = revocation<RevokeOptions & { readonly strip?: boolean }>({
  name: 'revoke-user',
  summary: 'disable a user everywhere',
  description: 'Disables a user or technical user',
  argument: ['<user>', 'user:ID, technical-user:ID, the id of a user, or an email'],
  options: [new Option('--strip', 'then remove all grants, memberships, assignments and global roles')],
  examples:
    '  gatehouse revoke-user ann@acme.example --actor security\n  gatehouse revoke-user user:01M7YAMYCAWSND2TZ7F47P6DYF --strip --yes --result-ttl 300',
  revoke: async (editing, argument, { strip }, agreed) => {
    const subject = await findSubject(editing, argument);
    const status = subject.type === 'user' ? 'disabled' : 'inactive';
    const before = subject.status !== 'active';
    // Written even if it was disabled: the read may be stale, and the caller needs this write's token.
    const sent = { command: `${subject.type}.update`, input: { id: subject.id, status } };
    const removes = strip ? ', and removes all its grants, memberships, assignments and global roles' : '';
    const undo = strip ? ': what is removed is granted anew, one by one' : '';
    await agreed(`this disables ${subject.type}:${subject.id}${removes}${undo}`, sent);
    const token = await editing.write(sent.command, sent.input);
    const stripped = strip ? await removeEdges(editing, subject) : undefined;
    const revoked = `${subject.type}:${subject.id}`;
    const text = [
      `${revoked} is ${status}${before ? ` (it was ${subject.status})` : ''}`,
      ...(stripped === undefined ? [] : [`${stripped} of its grants, memberships and roles are removed`]),
    ].join('; ');
    return { revoked, before, text, token, ...(stripped === undefined ? {} : { stripped }) };
  },
});
