import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  // biome-ignore lint/suspicious/noExplicitAny: a document of CloudFormation
  readonly Properties: any;
}

export interface Template {
  readonly Parameters: Readonly<Record<string, { readonly Default: string }>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown; readonly Condition?: string }>>;
}

/**
 * Packages the stack as `npm run package` does, into a folder of its own, and reads what would be deployed.
 */
export async function packageStack(
  stage: string,
  params: Readonly<Record<string, string>> = {},
): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stack-'));
  try {
    const given = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
    await promisify(execFile)(
      process.execPath,
      [SERVERLESS, 'package', '--stage', stage, '--package', folder, ...given],
      { cwd: ROOT, env: { ...process.env, AWS_REGION: 'eu-central-1', SLS_TELEMETRY_DISABLED: '1' } },
    );
    return JSON.parse(readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
