import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { parseJson } from '../../table/json.ts';

/** Calls the AWS CLI: its answer, or undefined where it prints no JSON. Rejects with what it said. */
export type Aws = (words: readonly string[], signal?: AbortSignal) => Promise<unknown>;

/** What the AWS CLI said, by the name of the call. */
export class AwsError extends Error {
  /** Whether it said that there is no such thing. */
  readonly isAbsent: boolean;
  constructor(call: string, said: string) {
    super(`aws ${call}: ${said}`);
    this.isAbsent = /does not exist|NotFound|NoSuchBucket/.test(said);
  }
}

const MISSING = 'the AWS CLI is missing: "pip install awscli", or see https://aws.amazon.com/cli';

/**
 * @param env with the credentials, as the AWS CLI takes them; `AWS_ENDPOINT_URL` is another AWS, such as moto
 */
export function createAws(region: string, env: NodeJS.ProcessEnv): Aws {
  return async (words, signal) => {
    const call = words.slice(0, 2).join(' ');
    // A group of its own: Ctrl-C in a terminal is for us, who then remove what was made.
    const child = spawn('aws', [...words, '--region', region, '--output', 'json'], {
      detached: true,
      env: { ...env, AWS_PAGER: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal && { signal }),
    });
    const ended = once(child, 'close').catch((error: NodeJS.ErrnoException) => {
      throw new AwsError(call, error.code === 'ENOENT' ? MISSING : error.message);
    });
    const [[code], answer, said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    if (code !== 0) throw new AwsError(call, said.trim().slice(-2_000) || `ended with ${code}`);
    return parseJson(answer);
  };
}
