import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVERLESS = join(ROOT, 'node_modules/serverless/bin/serverless.js');

export interface Resource {
  readonly Type: string;
  readonly Condition?: string;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a document of CloudFormation
  readonly Properties: any;
}

export interface Template {
  readonly Parameters: Readonly<Record<string, { readonly Default: string }>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
}

/** Without these nothing is packaged. */
export const ISSUER = { tokenIssuer: 'https://issuer.example', tokenAudience: 'gatehouse' };

/**
 * Packages the stack as `serverless package` does, into a folder of its own, and reads what would be deployed.
 *
 * @throws Error with what Serverless printed, when it refuses
 */
export function packageStack(stage: string, params: Readonly<Record<string, string>>): Promise<Template> {
  const given = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  return packageIn(ROOT, '--stage', stage, ...given);
}

/** The same for an example of docs/attach, with a file for each handler that it names. */
export async function packageExample(name: string): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-example-'));
  try {
    copyFileSync(join(ROOT, 'docs/attach/serverless', name), join(folder, 'serverless.yml'));
    for (const handler of ['documents.js', 'sockets.js']) writeFileSync(join(folder, handler), '');
    return await packageIn(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function packageIn(cwd: string, ...options: readonly string[]): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stack-'));
  try {
    await promisify(execFile)(process.execPath, [SERVERLESS, 'package', '--package', folder, ...options], {
      cwd,
      env: { ...process.env, AWS_REGION: 'eu-central-1', SLS_TELEMETRY_DISABLED: '1' },
    }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${stdout}${stderr}`);
    });
    return JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
