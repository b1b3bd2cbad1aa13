import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Aws } from './aws.ts';
import type { Ledger } from './ledger.ts';
import type { Section } from './proof.ts';
import type { Issuer } from './tokens.ts';

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
const FILES = fileURLToPath(new URL('.', import.meta.url));

export interface DeployOptions {
  readonly aws: Aws;
  readonly ledger: Ledger;
  /** For what is written on the way. */
  readonly folder: string;
}

export function createDeployer({ aws, ledger, folder }: DeployOptions) {
  const { prefix, region } = ledger;
  const bucket = prefix;

  /** Where the functions are uploaded to. */
  async function makeBucket(signal: AbortSignal): Promise<void> {
    ledger.note({ kind: 'bucket', name: bucket });
    await aws(['s3', 'mb', `s3://${bucket}`], signal);
    const tagging = JSON.stringify({ TagSet: [{ Key: TAG, Value: prefix }] });
    await aws(['s3api', 'put-bucket-tagging', '--bucket', bucket, '--tagging', tagging], signal);
  }

  /** Makes or changes a stack; returns its outputs. */
  async function deployStack(
    name: string,
    template: string,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    ledger.note({ kind: 'stack', name });
    const given = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
    const words = ['cloudformation', 'deploy', '--stack-name', name, '--template-file', template];
    const isLarge = statSync(template).size > MOST_INLINE_BYTES;
    const upload = isLarge ? ['--s3-bucket', bucket, '--s3-prefix', name] : [];
    const rights = ['--capabilities', 'CAPABILITY_IAM', 'CAPABILITY_AUTO_EXPAND'];
    const tags = ['--tags', `${TAG}=${prefix}`];
    const overrides = given.length === 0 ? [] : ['--parameter-overrides', ...given];
    await aws(
      [...words, ...upload, ...rights, ...tags, ...overrides, '--no-fail-on-empty-changeset'],
      signal,
    );
    const { Stacks } = stacks.parse(
      await aws(['cloudformation', 'describe-stacks', '--stack-name', name], signal),
    );
    return Object.fromEntries(
      Stacks[0].Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
    );
  }

  /** Uploads the functions of the package's template; returns the template that names them. */
  async function packageTemplate(template: string, signal: AbortSignal): Promise<string> {
    const packaged = join(folder, `${prefix}.template.yaml`);
    const words = ['cloudformation', 'package', '--template-file', template];
    await aws(
      [...words, '--s3-bucket', bucket, '--s3-prefix', prefix, '--output-template-file', packaged],
      signal,
    );
    return packaged;
  }

  return { region, bucket, makeBucket, deployStack, packageTemplate };
}

export type Deployer = ReturnType<typeof createDeployer>;

/** What the other steps work on. */
export interface Deployed {
  readonly url: string;
  readonly table: string;
  readonly authorizer: string;
  readonly provisioning: string;
  /** Deploys the same again, with parameters changed. */
  readonly change: (parameters: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<void>;
}

export const AUDIENCE = 'gatehouse-proof';

/** The issuer, the stack of the package, and an API behind it. */
export async function deployAll(
  { makeBucket, deployStack, packageTemplate }: Deployer,
  { prefix }: Ledger,
  { keys, setUrl }: Issuer,
  template: string,
  signal: AbortSignal,
): Promise<{ readonly deployed: Deployed; readonly section: Section }> {
  const begun = Date.now();
  await makeBucket(signal);
  const { Url: issuer = '' } = await deployStack(
    `${prefix}-issuer`,
    join(FILES, 'issuer.yml'),
    { Keys: keys },
    signal,
  );
  setUrl(issuer);
  const packaged = await packageTemplate(template, signal);
  const parameters = {
    TokenIssuer: issuer,
    TokenAudience: AUDIENCE,
    TokenJwksUrl: `${issuer}/jwks`,
    SubjectFrom: 'email',
    DeletionProtection: 'false',
  };
  const outputs = await deployStack(prefix, packaged, parameters, signal);
  const { Url: url = '' } = await deployStack(
    `${prefix}-api`,
    join(FILES, 'api.yml'),
    { AuthorizerArn: outputs.AuthorizerArn ?? '' },
    signal,
  );
  const seconds = Math.round((Date.now() - begun) / 1_000);
  return {
    deployed: {
      url,
      table: outputs.TableName ?? '',
      authorizer: `${prefix}-authorizer`,
      provisioning: `${prefix}-provisioning`,
      change: async (changed, changing) => {
        await deployStack(prefix, packaged, { ...parameters, ...changed }, changing);
      },
    },
    section: { title: 'Deployment', lines: [`Three stacks in ${seconds} s.`] },
  };
}
