import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { AUDIENCE } from '../model/tokens.ts';
import type { Aws } from './aws.ts';

const stacks = z.object({
  Stacks: z.tuple([
    z.object({
      Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).default([]),
    }),
  ]),
});

/** What the names of the stacks end in, in the order in which they are made: the issuer, Gatehouse, an API behind it. */
export const STACKS = ['-issuer', '', '-api'] as const;

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

type Parameters = Readonly<Record<string, string>>;

/** What the other steps work on. */
export type Deployed = Awaited<ReturnType<typeof deployAll>>;

/**
 * The issuer, the stack of the package, and an API behind it. The functions are uploaded to a bucket of their own.
 *
 * @param name begins the names of all that is made
 * @param keys the issuer's public keys, as a JSON Web Key Set
 * @param folder for what is written on the way
 */
export async function deployAll(aws: Aws, name: string, keys: string, folder: string, signal: AbortSignal) {
  const upload = ['--s3-bucket', name, '--s3-prefix', name];

  /** Makes or changes a stack; returns its outputs. */
  async function deploy(which: (typeof STACKS)[number], file: string, given: Parameters, during = signal) {
    const of = ['--stack-name', `${name}${which}`];
    const rights = ['--capabilities', 'CAPABILITY_IAM', 'CAPABILITY_AUTO_EXPAND'];
    const parameters = Object.entries(given).map(([key, value]) => `${key}=${value}`);
    const rest = ['--parameter-overrides', ...parameters, '--no-fail-on-empty-changeset'];
    const tags = ['--tags', `gatehouse-proof=${name}`];
    const words = ['cloudformation', 'deploy', ...of, '--template-file', file];
    await aws([...words, ...upload, ...rights, ...tags, ...rest], during);
    const described = await aws(['cloudformation', 'describe-stacks', ...of], during);
    const [{ Outputs }] = stacks.parse(described).Stacks;
    return Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  }

  await aws(['s3', 'mb', `s3://${name}`], signal);
  const { Url: issuer = '' } = await deploy('-issuer', pathOf('issuer.yml'), { Keys: keys });
  const packaged = join(folder, `${name}.template.yaml`);
  const from = ['--template-file', pathOf('../../template.yaml'), '--output-template-file', packaged];
  await aws(['cloudformation', 'package', ...from, ...upload], signal);
  const parameters = {
    TokenIssuer: issuer,
    TokenAudience: AUDIENCE,
    TokenJwksUrl: `${issuer}/jwks`,
    DeletionProtection: 'false',
  };
  const { TableName: table = '', AuthorizerArn = '' } = await deploy('', packaged, parameters);
  const { Url: url = '' } = await deploy('-api', pathOf('api.yml'), { AuthorizerArn });
  return {
    url,
    issuer,
    table,
    authorizer: `${name}-authorizer`,
    provisioning: `${name}-provisioning`,
    /** Deploys the same again, with parameters changed. */
    change: (changed: Parameters, changing: AbortSignal) =>
      deploy('', packaged, { ...parameters, ...changed }, changing),
  };
}
