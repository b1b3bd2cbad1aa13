import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ulid } from 'ulid';
import { parse } from 'yaml';
import { bundleOptions } from '../../deploy/bundle/build.ts';
import { samTemplate, sectionsOf } from '../../deploy/bundle/sam-template.ts';
import { createProvisioningFrom } from '../../provisioning/compose.ts';
import { createServiceClient } from '../../table/dynamodb/client.ts';
import { createTable } from '../../table/dynamodb/definition.ts';
import { AUDIENCE, httpEvent } from '../authorizer/support.ts';
import { httpApi2Event } from '../authzen/lambda-events.ts';
import { evaluateTemplate, type Resources } from '../stack/evaluate.ts';
import type { Template } from '../stack/template.ts';
import { createKeys, createUnsteadyDynamodb, createUnsteadyIssuer, type Keys } from './dependencies.ts';
import { FUNCTIONS, type FunctionName } from './faults.ts';
import { createFunction, type FunctionOptions, type Outcome } from './runtime/function.ts';

/** The logical ids of what is of a function. The AuthZEN API is in the stack for Serverless only. */
const IDS: Readonly<Record<FunctionName, { readonly lambda: string; readonly logGroup: string }>> = {
  authorizer: { lambda: 'AuthorizerLambdaFunction', logGroup: 'AuthorizerLogGroup' },
  provisioning: { lambda: 'ProvisioningLambdaFunction', logGroup: 'ProvisioningLogGroup' },
  authzen: { lambda: 'AuthzenLambdaFunction', logGroup: 'AuthzenLogGroup' },
};

/** What of the template says how a function runs. */
interface FunctionProperties {
  readonly Handler: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly LoggingConfig?: { readonly LogFormat?: 'Text' | 'JSON' };
  readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
}

/** What Serverless and SAM add to a stack, as far as others refer to it. */
const ADDED: Resources = {
  AuthzenLambdaFunction: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Handler: 'handler.handler',
      Timeout: 20,
      MemorySize: 512,
      Environment: { Variables: { SUBJECT_FROM: 'claim:sub', CACHE_TTL_SECONDS: '60' } },
    } satisfies FunctionProperties,
  },
  AuthzenLogGroup: { Type: 'AWS::Logs::LogGroup', Properties: {} },
  DeploymentApplication: { Type: 'AWS::CodeDeploy::Application', Properties: {} },
};

/** The place that everything here is about, and who may read it. */
export interface World {
  readonly table: string;
  readonly tenant: string;
  /** May read. */
  readonly reader: string;
  /** Has a valid token and no grant. */
  readonly stranger: string;
}

/** The packaged functions, the stack that they run in, and a table with a small world on a DynamoDB engine. */
export interface Stage {
  readonly endpoint: string;
  readonly folder: string;
  readonly resources: Resources;
  readonly keys: Keys;
  readonly world: World;
  readonly close: () => void;
}

/** Of the stack. With a topic, its alarms notify somebody. */
const PARAMETERS = {
  TokenIssuer: 'https://issuer.example',
  TokenAudience: AUDIENCE,
  AlarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
  Authzen: 'true',
};

/** @param endpoint of a DynamoDB engine */
export async function createStage(endpoint: string): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-faults-'));
  const [keys, world] = await Promise.all([createKeys(), createWorld(endpoint), packFunctions(folder)]);
  return {
    endpoint,
    folder,
    keys,
    world,
    resources: resources(),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The resources of the package's template, and of the AuthZEN API, which is in the stack of Serverless only. */
function resources(): Resources {
  const shared = samTemplate() as unknown as Template;
  const authzen = sectionsOf('authzen') as unknown as Template;
  const Conditions = { ...shared.Conditions, ...authzen.Conditions };
  const Resources = { ...ADDED, ...shared.Resources, ...authzen.Resources };
  return evaluateTemplate({ ...shared, Conditions, Resources }, PARAMETERS).Resources;
}

/** Each function with its file for conditions, as they are deployed. */
async function packFunctions(folder: string): Promise<void> {
  const pack = (name: string) =>
    build({ ...bundleOptions(), entryPoints: [`${name}/handler.ts`], outdir: join(folder, name) });
  await Promise.all(FUNCTIONS.map(pack));
  // As on Lambda, where no package.json says otherwise.
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
}

/** The reader may also ask the AuthZEN API, which asks about actions on scopes. */
const MANIFEST = `
pages: [reports]
permissions: ["gatehouse:evaluate:decision", "tenant:read:tenant"]
scopes: { North: { id: north, type: tenant } }
roles: { reader: { owner: North, allow: [reports, "gatehouse:evaluate:decision", "tenant:read:tenant"] } }
users:
  reader: { id: reader, assignments: [{ role: reader, scope: North }] }
  stranger: { id: stranger }
routes: [{ method: GET, path: "/{tenant}/reports", permission: reports, scope: "tenant:{tenant}" }]
`;

async function createWorld(endpoint: string): Promise<World> {
  const table = `faults-${ulid()}`;
  await createTable(createServiceClient({ endpoint, requestTimeoutMs: 20_000 }), table);
  const provision = createProvisioningFrom({ TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint });
  const answer = await provision({ command: 'tenant.apply', input: { manifest: parse(MANIFEST) } });
  if (!answer.ok) throw new Error(answer.error.message);
  return { table, tenant: 'tenant:north', reader: 'reader', stranger: 'stranger' };
}

/** A function on the stage, with a DynamoDB and an issuer of its own that can fail. */
export async function enter(stage: Stage, name: FunctionName, changes: Partial<FunctionOptions> = {}) {
  const [dynamodb, issuer] = await Promise.all([
    createUnsteadyDynamodb(stage.endpoint, 'Table'),
    createUnsteadyIssuer(stage.keys),
  ]);
  const properties = stage.resources[IDS[name].lambda]?.Properties as FunctionProperties;
  const { Handler, Timeout, MemorySize, LoggingConfig, Environment } = properties;
  const deployed = await createFunction({
    folder: join(stage.folder, name),
    handler: Handler,
    timeoutMs: Timeout * 1_000,
    memoryMb: MemorySize ?? 512,
    logFormat: LoggingConfig?.LogFormat ?? 'Text',
    ...changes,
    environment: {
      ...Environment.Variables,
      TABLE_NAME: stage.world.table,
      DYNAMODB_ENDPOINT: dynamodb.url,
      ...(name === 'provisioning' ? {} : { TOKEN_ISSUER: issuer.url, TOKEN_AUDIENCE: AUDIENCE }),
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      ...changes.environment,
    },
  });
  return {
    name,
    dynamodb,
    issuer,
    deployed,
    world: stage.world,
    ids: IDS[name],
    stop: async (): Promise<void> => {
      await Promise.all([deployed.stop(), dynamodb.stop(), issuer.stop()]);
    },
  };
}

export type Scene = Awaited<ReturnType<typeof enter>>;

/** A request of API Gateway to the authorizer, payload format 2.0. */
export const gatewayEvent = (token: string, path: string): object =>
  httpEvent('GET', path, { authorization: `Bearer ${token}` });

/** What API Gateway answers to its caller (AG http-api-lambda-authorizer, apigateway-rest-api-lambda-authorizer). */
export function gatewayStatus(outcome: Outcome): number {
  if (outcome.kind === 'error') return outcome.message === 'Unauthorized' ? 401 : 500;
  if (outcome.kind === 'throttled') return 500;
  return (outcome.payload as { isAuthorized?: unknown } | null)?.isAuthorized === true ? 200 : 403;
}

/** A request to the AuthZEN API, by an HTTP API. */
export const authzenEvent = (token: string, body: object): object =>
  httpApi2Event({
    method: 'POST',
    path: '/access/v1/evaluation',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
