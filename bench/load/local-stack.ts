import { readConfiguration } from '../../local/configuration.ts';
import { type SampleStack, startSample } from '../../local/sample/stack.ts';
import { answerParent } from './child.ts';
import type { Caller } from './generate.ts';

/** What `npm run bench -- load-test` measures without `--url`. */
export interface LocalTarget {
  readonly url: string;
  readonly callers: readonly Caller[];
}

/** By descending number of requests. */
const USERS = ['tina', 'sam', 'victor', 'ada', 'dora'].map((name) => `${name}@school.example`);
const PAGES = ['dashboard', 'schedule', 'grades'];

async function callersOf({ url, school }: SampleStack): Promise<readonly Caller[]> {
  const asks = Object.values(school).flatMap((location) =>
    PAGES.map((page) => ({ path: `/locations/${location}/pages/${page}` })),
  );
  return Promise.all(
    USERS.map(async (user) => {
      const answer = await fetch(`${url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      return { token, asks };
    }),
  );
}

/** The stack of `gatehouse dev`, on free ports and in memory, in a process of its own. */
let stack: SampleStack | undefined;
answerParent(
  async (): Promise<LocalTarget> => {
    stack = await startSample(readConfiguration({ PORT: '0', LAMBDA_PORT: '0', DYNAMODB_PORT: '0' }));
    return { url: stack.url, callers: await callersOf(stack) };
  },
  async () => stack?.stop(),
);
