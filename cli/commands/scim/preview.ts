import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Handle } from '../../../authorizer/service/http.ts';
import { accessDifferenceBy, createProvisioning } from '../../../provisioning/index.ts';
import { createNodeEncryption } from '../../../provisioning/node-encryption.ts';
import { createHandle } from '../../../scim/http.ts';
import { nodeKey } from '../../../table/keys.ts';
import type { Reader } from '../../../table/reader.ts';
import type { Writer } from '../../../table/writer.ts';
import { assertNone, type Source } from '../../../testing/document.ts';
import { readFileAsDocument } from '../../../testing/text-file.ts';
import { accessLines, gainLines, losersIn } from '../../access.ts';
import { knownAs } from '../../known-as.ts';
import { argument } from '../../options.ts';
import { count, plain } from '../../print.ts';
import { openSender } from '../../provisioning.ts';
import { NameError } from '../../references.ts';
import { subcommand } from '../../subcommand.ts';

const MAX_REQUESTS = 10_000;
const REQUESTS = z
  .array(
    z.strictObject({
      method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
      path: z.string().startsWith('/').max(2_048),
      bulkId: z
        .string()
        .regex(/^[\w.-]{1,128}$/)
        .optional(),
      body: z.unknown().optional(),
    }),
  )
  .max(MAX_REQUESTS);
type Request = z.infer<typeof REQUESTS>[number];

/** What became of a request. */
interface Answered {
  readonly request: string;
  readonly status: number;
  readonly detail: string;
}

/** `gatehouse scim preview`: who would get and lose what by requests of a provider. */
export const addPreview = subcommand({
  name: 'preview',
  summary: 'show who would get and lose what by SCIM requests',
  description:
    'Carries out SCIM requests of a connection on a copy in memory, and shows who would get and lose what. It writes nothing to the table.',
  arguments: [
    argument('<connection>', 'the id of the connection'),
    argument('<file>', 'the requests, as JSON; - is the standard input'),
  ],
  options: {},
  examples: '  gatehouse scim preview CONNECTION-ID requests.json',
  notes: `The file is a list of requests:
[{"method": "POST", "path": "/Users", "body": {…}}]. The path is the one after
/scim/v2. A request may have a bulkId: later ones write bulkId:NAME where they
need the id of what it made (RFC 7644 section 3.7.2).`,
  run: async ([connection, file], options, around) => {
    const source = await readFileAsDocument(file);
    const requests = requestsIn(source);
    const { reader: of, deliver } = await openSender(options, around);
    const reader = of();
    if (!(await reader.get(nodeKey({ type: 'scim-connection', id: connection }))))
      throw new NameError('name_unknown', `there is no connection ${plain(connection)}`);
    const at = around.now();
    const refused: Answered[] = [];
    const access = await accessDifferenceBy(
      async ({ after, writer }) => {
        const send = sendingOn(after, writer, connection, at);
        for (const answered of await carriedOut(requests, send)) {
          if (answered.status >= 500) throw new Error(`${answered.request}: ${answered.detail}`);
          if (answered.status >= 400) refused.push(answered);
        }
      },
      { reader, at },
    );
    const lines = [
      ...refused.map(({ request, status, detail }) => `${request}: ${status} ${detail}`),
      `${count(requests.length, 'request')}, ${refused.length} refused`,
    ];
    const known = await knownAs(deliver, [...losersIn(access.loses), ...losersIn(access.gains)]);
    return {
      data: { requests: requests.length, refused, access },
      text: `${[...lines.map(plain), ...accessLines(access, known), ...gainLines(access.gains, known)].join('\n')}\n`,
      refused: refused.length > 0,
    };
  },
});

/** Throws ProblemsError with everything that is wrong with the file. */
function requestsIn(source: Source): readonly Request[] {
  const { success, data, error } = REQUESTS.safeParse(source.data);
  assertNone(
    source,
    (error?.issues ?? []).map(({ path, message }) => ({ path: path as (string | number)[], message })),
  );
  return success ? data : [];
}

/** The SCIM server on a copy, as this connection. */
function sendingOn(reader: Reader, writer: Writer, connection: string, at: number): Handle {
  const clock = { now: () => at };
  return createHandle({
    port: {
      // The credential is that of whoever may read the table.
      connectionOf: async () => ({ id: connection, expiresAt: at, lastSyncAt: at }),
      provisioning: createProvisioning({
        reader,
        writer,
        clock,
        newId: randomUUID,
        newSecret: randomUUID,
        encryption: createNodeEncryption,
        budgetMs: Number.POSITIVE_INFINITY,
      }),
    },
    publicUrl: undefined,
    clock,
    log: { error: () => {}, warn: () => {}, info: () => {} },
  });
}

async function carriedOut(requests: readonly Request[], send: Handle): Promise<readonly Answered[]> {
  const ids = new Map<string, string>();
  const filled = (text: string) =>
    text.replace(/bulkId:([\w.-]{1,128})/g, (whole, name: string) => ids.get(name) ?? whole);
  const answers: Answered[] = [];
  for (const { method, path, bulkId, body } of requests) {
    const [before = '', query] = filled(path).split(/\?(.*)/s);
    const answer = await send({
      method,
      paths: [`/scim/v2${before}`],
      query: () => new URLSearchParams(query),
      header: (name) => HEADERS.get(name) ?? [],
      body: new TextEncoder().encode(body === undefined ? '' : filled(JSON.stringify(body))),
    });
    const { id, detail } = (answer.body === '' ? {} : JSON.parse(answer.body)) as Partial<
      Record<string, unknown>
    >;
    if (bulkId !== undefined && typeof id === 'string') ids.set(bulkId, id);
    answers.push({ request: `${method} ${path}`, status: answer.status, detail: String(detail ?? '') });
  }
  return answers;
}

const HEADERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['authorization', ['Bearer preview']],
  ['content-type', ['application/scim+json']],
]);
