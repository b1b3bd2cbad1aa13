import { createEngine } from '../../engine/index.ts';
import { readText } from '../../testing/text-file.ts';
import { echoBackend } from '../backend.ts';
import type { LocalConfiguration } from '../configuration.ts';
import { createGateway, type Gateway, type GatewayObservation } from '../gateway/gateway.ts';
import { createHttpIntegration } from '../gateway/http-integration.ts';
import type { LocalCaller } from '../identity/identity-provider.ts';
import { messageOf } from '../message-of.ts';
import { type Addresses, type Foundation, type StackOptions, startStack } from '../stack.ts';
import type { LocalTable } from '../table.ts';
import { apiNamesOf, apisOf, type Integration, NOT_CACHED } from './apis.ts';
import { type AppliedManifest, applyText } from './apply.ts';
import { type ExampleRequest, type Examples, findExamples } from './examples.ts';
import { watchFile } from './watch-file.ts';

export interface ManifestOptions extends StackOptions {
  /** The manifest. */
  readonly file: string;
  /** The service behind the gateway; without one, requests are answered with what it would get. */
  readonly backend?: URL;
  /** Origins whose pages may call the APIs. */
  readonly cors?: readonly string[];
  /** Calls back after the file has changed; returns how to stop that. */
  readonly watch?: (file: string, onChange: () => void) => () => void;
}

export interface ManifestStack extends Addresses {
  readonly file: string;
  readonly backend: URL | undefined;
  readonly applied: AppliedManifest;
  readonly examples: Examples;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the local stack with a manifest of one's own: its table, its users, its routes in front of a service. The
 * manifest is applied again whenever its file changes; one with errors changes nothing.
 *
 * @throws ProblemsError for what is wrong with the manifest
 */
export async function startManifest(
  configuration: LocalConfiguration,
  options: ManifestOptions,
): Promise<ManifestStack> {
  const { file, backend, cors = [], say = () => undefined, watch = watchFile } = options;
  let text = await readText(file);
  const { refresh, findRequests, ...stack } = await startStack(
    configuration,
    async (given) => {
      let applied = await applyText(file, text, given.table);
      const integration = backend ? createHttpIntegration(backend) : echoBackend;
      const newGateway = gatewaysOf(given, given.observation, cors);
      let gateway = newGateway(applied, integration);
      const refresh = async (): Promise<void> => {
        const changed = await readText(file);
        if (changed === text) return;
        text = changed;
        applied = await applyText(file, text, given.table);
        gateway = newGateway(applied, integration);
        say(`${file} is applied: ${countsText(applied.counts)}`);
      };
      const variables = { RESULT_CACHE: NOT_CACHED };
      return {
        world: { file, backend, applied, refresh, findRequests: () => examplesOf(applied, given) },
        gateway: (request) => gateway(request),
        findCaller: (name) => findCaller(name, applied, given.table),
        apis: () => apiNamesOf(applied.manifest.routes),
        functions: {
          authorizer: given.authorizer(variables, 'Lambda'),
          'authorizer-policy': given.authorizer({ ...variables, HTTP_ANSWER: 'policy' }, 'Lambda'),
        },
      };
    },
    options,
  );

  let applying = Promise.resolve();
  const stopWatching = watch(file, () => {
    applying = applying.then(refresh).catch((error: unknown) => {
      say(`${messageOf(error)}\n${file} is not applied: what was there before stays`);
    });
  });
  const stop = async (): Promise<void> => {
    stopWatching();
    await applying;
    await stack.stop();
  };
  try {
    return { ...stack, examples: await findRequests(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const countsText = ({ create, change, remove }: AppliedManifest['counts']): string =>
  create + change + remove === 0
    ? 'the table has all of it already'
    : `${create} created, ${change} changed, ${remove} removed`;

/** Makes the gateway of a manifest; authorizers, one for each API, stay from one to the next. */
function gatewaysOf({ authorizer }: Foundation, observation: GatewayObservation, origins: readonly string[]) {
  const authorizers = new Map<string, ReturnType<Foundation['authorizer']>>();
  const authorizerOf = (api: string) => {
    const known = authorizers.get(api) ?? authorizer({ API_NAME: api, RESULT_CACHE: NOT_CACHED });
    authorizers.set(api, known);
    return known;
  };
  return ({ manifest }: AppliedManifest, integration: Integration): Gateway =>
    createGateway({
      ...observation,
      apis: apisOf(manifest.routes, authorizerOf, integration, origins),
      clock: Date.now,
    });
}

/** Somebody by the name in the manifest, or else by email or username. */
async function findCaller(
  name: string,
  { names }: AppliedManifest,
  { provisioning }: LocalTable,
): Promise<LocalCaller | undefined> {
  const ref = names.of('subject').get(name);
  if (ref?.startsWith('technical-user:')) {
    const issued = await provisioning({
      command: 'token.create',
      input: { user: ref, tokenType: 'api' },
      actor: 'gatehouse dev',
    });
    if (!issued.ok) throw new Error(issued.error.message);
    const { token, expiresAt } = issued.result;
    return { kind: 'program', apiToken: String(token), expiresAt: String(expiresAt) };
  }
  const lookUps = ref?.startsWith('user:')
    ? [{ id: ref.slice('user:'.length) }]
    : [{ email: name }, { username: name }];
  for (const input of lookUps) {
    const answer = await provisioning({ command: 'user.read', input });
    if (!answer.ok) continue;
    const { id, email } = answer.result;
    return { kind: 'user', id: String(id), ...(email === undefined ? {} : { email: String(email) }) };
  }
  return undefined;
}

/** Requests to paste. Those that are tried for it go through a gateway of their own, and reach no service. */
async function examplesOf(applied: AppliedManifest, foundation: Foundation): Promise<Examples> {
  const { url } = foundation;
  const gateway = gatewaysOf(foundation, {}, [])(applied, async () => ({ statusCode: 200 }));
  const engine = createEngine({ reader: foundation.table.reader, ttlMs: 0, clock: { now: Date.now } });
  const statusOf = async ({ method, path, headers, caller }: ExampleRequest): Promise<number> => {
    const answer = await fetch(`${url}/_dev/token`, {
      method: 'POST',
      body: JSON.stringify({ user: caller }),
    });
    const { access_token: token } = (await answer.json()) as { readonly access_token: string };
    const { statusCode } = await gateway({
      method,
      target: path,
      protocol: 'HTTP/1.1',
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
      headers: [
        ['authorization', `Bearer ${token}`],
        ['host', new URL(url).host],
        ...Object.entries(headers),
      ],
    });
    return statusCode;
  };
  const decide = async (requests: Parameters<typeof engine.checkMany>[0]) =>
    requests.length === 0 ? [] : (await engine.checkMany(requests)).decisions;
  return findExamples(applied.manifest, applied.names, { decide, statusOf });
}
