import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { AUDIENCE } from '../model/tokens.ts';
import type { Aws } from './aws.ts';
import type { Ledger } from './ledger.ts';

const stacks = z.object({
  Stacks: z.tuple([
    z.object({
      Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).default([]),
    }),
  ]),
});

/** The key of the tag that everything carries; its value is the prefix. */
export const TAG = 'gatehouse-proof';
/** What CloudFormation takes of a template in the request itself. */
const MOST_INLINE_BYTES = 51_200;
const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

type Parameters = Readonly<Record<string, string>>;

export interface DeployOptions {
  readonly aws: Aws;
  readonly ledger: Ledger;
  /** For what is written on the way. */
  readonly folder: string;
  /** The template of the package. */
  readonly template: string;
  /** The issuer's public keys, as a JSON Web Key Set. */
  readonly keys: string;
}

/** What the other steps work on. */
export interface Deployed {
  readonly url: string;
  readonly issuer: string;
  readonly table: string;
  readonly authorizer: string;
  readonly provisioning: string;
  /** Deploys the same again, with parameters changed. */
  readonly change: (parameters: Parameters, signal: AbortSignal) => Promise<unknown>;
}

/** The issuer, the stack of the package, and an API behind it. The functions are uploaded to a bucket of their own. */
export async function deployAll(options: DeployOptions, signal: AbortSignal): Promise<Deployed> {
  const { aws, ledger, folder, template, keys } = options;
  const { prefix } = ledger;

  /** Makes or changes a stack; returns its outputs. */
  async function deployStack(name: string, file: string, parameters: Parameters, during = signal) {
    ledger.note({ kind: 'stack', name });
    const isLarge = statSync(file).size > MOST_INLINE_BYTES;
    const words = ['cloudformation', 'deploy', '--stack-name', name, '--template-file', file];
    const upload = isLarge ? ['--s3-bucket', prefix, '--s3-prefix', name] : [];
    const rights = [
      '--capabilities',
      'CAPABILITY_IAM',
      'CAPABILITY_AUTO_EXPAND',
      '--tags',
      `${TAG}=${prefix}`,
    ];
    const given = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
    const rest = ['--parameter-overrides', ...given, '--no-fail-on-empty-changeset'];
    await aws([...words, ...upload, ...rights, ...rest], during);
    const described = await aws(['cloudformation', 'describe-stacks', '--stack-name', name], during);
    const [{ Outputs }] = stacks.parse(described).Stacks;
    return Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  }

  ledger.note({ kind: 'bucket', name: prefix });
  await aws(['s3', 'mb', `s3://${prefix}`], signal);
  const tagging = JSON.stringify({ TagSet: [{ Key: TAG, Value: prefix }] });
  await aws(['s3api', 'put-bucket-tagging', '--bucket', prefix, '--tagging', tagging], signal);
  const { Url: issuer = '' } = await deployStack(`${prefix}-issuer`, fileOf('issuer.yml'), { Keys: keys });
  const packaged = join(folder, `${prefix}.template.yaml`);
  const from = ['--template-file', template, '--output-template-file', packaged];
  await aws(['cloudformation', 'package', ...from, '--s3-bucket', prefix, '--s3-prefix', prefix], signal);
  const parameters = {
    TokenIssuer: issuer,
    TokenAudience: AUDIENCE,
    TokenJwksUrl: `${issuer}/jwks`,
    DeletionProtection: 'false',
  };
  const { TableName: table = '', AuthorizerArn = '' } = await deployStack(prefix, packaged, parameters);
  const { Url: url = '' } = await deployStack(`${prefix}-api`, fileOf('api.yml'), { AuthorizerArn });
  return {
    url,
    issuer,
    table,
    authorizer: `${prefix}-authorizer`,
    provisioning: `${prefix}-provisioning`,
    change: (changed, changing) => deployStack(prefix, packaged, { ...parameters, ...changed }, changing),
  };
}
