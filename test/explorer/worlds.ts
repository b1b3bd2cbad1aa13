import { createService, type Service } from '../../explorer/service/index.ts';
import { createSampleWorld } from '../../local/sample/world.ts';
import { asWrittenLongAgo, provisionedInMemory } from '../../testing/model.ts';
import { createKinds } from '../provisioning/kinds.ts';

/** The instant at which all tables here are looked at. */
export const NOW = Date.parse('2026-03-02T09:00:00.000Z');

type Input = Readonly<Record<string, unknown>>;

/** A table in memory whose commands run one second after the other, the last of them before {@link NOW}. */
function openTable() {
  let time = NOW - 3_600_000;
  const { reader, provisioning } = provisionedInMemory(() => time);
  const provision: typeof provisioning = async (request, hooks) => {
    time = Math.min(time + 1_000, NOW);
    return provisioning(request, hooks);
  };
  const run = async (command: string, input: Input) => {
    const answer = await provision({ command, input });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
    return answer.result as Readonly<Record<string, unknown>> & { readonly id: string };
  };
  return { reader: asWrittenLongAgo(reader), provisioning: provision, run };
}

export type OpenTable = ReturnType<typeof openTable>;

/** The explorer's service over a table. Its clock goes on by a millisecond whenever it is read: engines wait for that. */
export function serviceOver({ reader, provisioning }: OpenTable, canWrite = false): Service {
  let time = NOW;
  return createService({
    reader,
    provisioning,
    clock: { now: () => time++ },
    about: { place: 'table gatehouse in eu-west-1', canWrite, isLive: true },
  });
}

/** The sample tenants of the local stack, with references of some of what is in them. */
export async function sampleTable() {
  const table = openTable();
  const { school, facilities } = await createSampleWorld(table.provisioning);
  const user = async (email: string) => `user:${(await table.run('user.read', { email })).id}`;
  const north = `location:${school.north}`;
  const groups = (await table.run('group.list', { scope: north })).items as readonly Input[];
  return {
    ...table,
    north,
    client: `client:${facilities.client}`,
    harbour: `project:${facilities.harbour}`,
    lighthouse: `building:${facilities.lighthouse}`,
    tina: await user('tina@school.example'),
    carl: await user('carl@northwind.example'),
    /** The id of a group. */
    teachersNorth: String(groups.find(({ name }) => name === 'Teachers north')?.id),
  };
}

export type SampleTable = Awaited<ReturnType<typeof sampleTable>>;

/** Names that attack whoever shows them: as markup, as a script, as an address, as text of the other direction. */
export const HOSTILE: Readonly<Record<string, string>> = {
  markup: `<img src=x onerror="complainOfPolicy('run')"><script>complainOfPolicy('run')</script></textarea>'"&lt;`,
  address: "javascript:complainOfPolicy('run')",
  direction: '\u05d0\u05d1\u05d2 txt.exe (\u0627\u0644\u0639\u0631\u0628\u064a\u0629',
  long: 'W'.repeat(128),
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈e\u0301\u0327\u0323👍🏿'.repeat(4),
  inherited: '__proto__',
};

export interface HostileTable extends OpenTable {
  /** Who may do what where, by nothing but hostile names. */
  readonly question: { readonly subject: string; readonly permission: string; readonly scope: string };
  /** The root of the scope. */
  readonly top: string;
  /** The id of the subject's group. */
  readonly group: string;
  /** `ENTITY.FIELD` of every field that took a hostile text. */
  readonly fields: readonly string[];
}

/** Every field of every entity holds a hostile text, unless its command refuses that text. */
export async function hostileTable(text: string): Promise<HostileTable> {
  const table = openTable();
  const fields: string[] = [];
  for (const kind of Object.values(createKinds({ run: table.run }))) {
    const command = `${kind.type}.create`;
    let input = await kind.create();
    for (const [field, value] of Object.entries(input)) {
      if (typeof value !== 'string') continue;
      const changed = { ...input, [field]: text };
      const answer = await table.provisioning({ command, input: changed, dryRun: true });
      if (!answer.ok) continue;
      input = changed;
      fields.push(`${kind.type}.${field}`);
    }
    await table.provisioning({ command, input });
  }
  return { ...table, fields, ...(await connected(table, text)) };
}

/** A subject that has one permission at one scope by a role of its group: all of them with the name. */
async function connected(
  { run }: OpenTable,
  name: string,
): Promise<Omit<HostileTable, keyof OpenTable | 'fields'>> {
  const description = name;
  await run('page.create', { name: 'board', description });
  const top = `client:${(await run('client.create', { name: `${name.slice(0, 120)} top` })).id}`;
  const scope = `project:${(await run('project.create', { parent: top, name, description })).id}`;
  const role = (await run('role.create', { name, scope: top, description })).id;
  await run('role-permission.create', { role, permission: 'board', effect: 'ALLOW' });
  const group = (await run('group.create', { scope, name, description })).id;
  await run('group-role.create', { group, role });
  const user = (await run('user.create', { displayName: name, tenant: top })).id;
  await run('membership.create', { user, group });
  await run('assignment.create', { user, scope, role, endsAt: '2027-01-01T00:00:00.000Z' });
  return { question: { subject: `user:${user}`, permission: 'board', scope }, group, top };
}
