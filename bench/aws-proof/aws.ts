import { spawn } from 'node:child_process';

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
/** What is kept of an answer: the lists here are short. */
const MOST_CHARACTERS = 5_000_000;

/**
 * @param env with the credentials, as the AWS CLI takes them; `AWS_ENDPOINT_URL` is another AWS, such as moto
 */
export function createAws(region: string, env: NodeJS.ProcessEnv): Aws {
  return (words, signal) =>
    new Promise((resolve, reject) => {
      // A group of its own: Ctrl-C in a terminal is for us, who then remove what was made.
      const child = spawn('aws', [...words, '--region', region, '--output', 'json'], {
        detached: true,
        env: { ...env, AWS_PAGER: '' },
        stdio: ['ignore', 'pipe', 'pipe'],
        ...(signal === undefined ? {} : { signal }),
      });
      let [answer, said] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        if (answer.length < MOST_CHARACTERS) answer += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-2_000);
      });
      const call = words.slice(0, 2).join(' ');
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ENOENT' ? new AwsError(call, MISSING) : new AwsError(call, error.message)),
      );
      child.once('close', (code) => {
        if (code === 0) resolve(parsed(answer));
        else reject(new AwsError(call, said.trim() || `ended with ${code}`));
      });
    });
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
