import { defined } from '../../../table/defined.ts';
import { allOf } from '../../../table/index-queries.ts';
import { argument } from '../../options.ts';
import { count, plain } from '../../print.ts';
import { openSender, type Sender } from '../../provisioning.ts';
import { subcommand } from '../../subcommand.ts';

const DAY_MS = 86_400_000;
/** Days before its end at which a credential is to be exchanged. */
const ENDS_SOON_DAYS = 30;
/** The longest pause between two syncs, and before the first: providers send all the time. */
const SILENT_MS = DAY_MS;

/** `gatehouse scim status`: whether providers send, and for how long they can. */
export const addStatus = subcommand({
  name: 'status',
  summary: 'show connections: their credentials, users, groups and last sync',
  description:
    'Shows each connection with its credentials and their ends, its users, its groups and its last sync. It is not well with a credential that ends within 30 days, or none, and without a sync for 24 hours.',
  arguments: [argument('[connection]', 'the id of one connection (default: all)')],
  options: {},
  examples: `  gatehouse scim status
  gatehouse scim status CONNECTION-ID --json`,
  run: async ([id], options, around) => {
    const sender = await openSender(options, around);
    const found =
      id === undefined
        ? await sender.reader().listAll(allOf('scim-connection'))
        : [await sender.send('scim-connection.read', { id })];
    const connections = await Promise.all(found.map((each) => statusOf(sender, each, around.now())));
    return {
      data: connections,
      text: connections.map(textOf).join('') || 'none\n',
      refused: connections.some(({ problems }) => problems.length > 0),
    };
  },
});

type Result = Readonly<Record<string, unknown>>;

async function statusOf({ list }: Sender, { id, name, scope, lastSyncAt, createdAt }: Result, now: number) {
  const of = { connection: id };
  const [credentials, users, groups] = await Promise.all([
    list('scim-credential.list', of),
    list('scim-user.list', of),
    list('scim-group.list', of),
  ]);
  const valid = credentials
    .map((each) => ({ id: String(each.id), expiresAt: String(each.expiresAt) }))
    .filter(({ expiresAt }) => now < Date.parse(expiresAt));
  // The old one may end once there is a new one.
  const last = Math.max(...valid.map(({ expiresAt }) => Date.parse(expiresAt)));
  const days = Math.floor((last - now) / DAY_MS);
  const isSilent = !(now - Date.parse(String(lastSyncAt ?? createdAt)) <= SILENT_MS);
  const problems = [
    ...(valid.length === 0 ? ['it has no valid credential'] : []),
    ...(valid.length > 0 && days < ENDS_SOON_DAYS ? [`its credential ends in ${count(days, 'day')}`] : []),
    ...(isSilent ? ['nothing was sent for 24 hours'] : []),
  ];
  return {
    id: String(id),
    name: String(name),
    scope: String(scope),
    ...defined({ lastSyncAt: lastSyncAt as string | undefined }),
    credentials: valid,
    users: users.length,
    groups: groups.length,
    problems,
  };
}

function textOf(connection: Awaited<ReturnType<typeof statusOf>>): string {
  const { id, name, scope, lastSyncAt, credentials, users, groups, problems } = connection;
  const lines = [
    `${name} (${id}) of ${scope}: ${problems.length === 0 ? 'well' : problems.join(', ')}`,
    `  ${lastSyncAt === undefined ? 'nothing was sent yet' : `last sync ${lastSyncAt}`}; ${count(users, 'user')}, ${count(groups, 'group')}`,
    ...credentials.map((each) => `  credential ${each.id} until ${each.expiresAt}`),
  ];
  return `${lines.map(plain).join('\n')}\n`;
}
