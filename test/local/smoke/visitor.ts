import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { SampleStack } from '../../../local/sample/stack.ts';
import { LOCAL_CREDENTIALS } from '../../../table/loopback.ts';

/** Provisioning's answer; only the first one of an operation has the text of an API token. */
interface Created {
  readonly id: string;
  readonly token?: string;
}

export type Check = (what: string, holds: boolean, seen?: unknown) => void;

/** A token of a user of the stack at this origin. */
export async function tokenFrom(url: string, user: string): Promise<string> {
  const answer = await fetch(`${url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** A client of the stack over HTTP and the Lambda API. */
export function createVisitor({ url, lambdaUrl }: SampleStack, check: Check) {
  const lambda = new LambdaClient({
    endpoint: lambdaUrl,
    region: 'eu-central-1',
    credentials: LOCAL_CREDENTIALS,
  });

  async function invoke(name: string, event: unknown): Promise<unknown> {
    const answer = await lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
    );
    return JSON.parse(new TextDecoder().decode(answer.Payload));
  }

  async function provision(command: string, input: Record<string, unknown>): Promise<Created> {
    const answer = (await invoke('provisioning', { command, input, actor: 'smoke' })) as {
      ok: boolean;
      result?: Created;
      error?: { message: string };
    };
    check(`provisioning: ${command}`, answer.ok, answer.error);
    return answer.result ?? { id: '' };
  }

  const tokenOf = (user: string): Promise<string> => tokenFrom(url, user);

  async function status(path: string, token?: string, method = 'GET'): Promise<number> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${url}${path}`, { method, headers })).status;
  }

  async function expectStatus(
    expected: number,
    who: string | undefined,
    path: string,
    method = 'GET',
  ): Promise<void> {
    const seen = await status(path, who === undefined ? undefined : await tokenOf(who), method);
    check(
      `${expected} for ${who ?? 'nobody'}: ${method} ${path.replace(/[0-9A-Z]{26}/g, '…')}`,
      seen === expected,
      seen,
    );
  }

  return { check, invoke, provision, tokenOf, status, expectStatus };
}

export type Visitor = ReturnType<typeof createVisitor>;

export const gradesOf = (location: string): string => `/locations/${location}/pages/grades`;
