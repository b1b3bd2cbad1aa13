import type { Topic } from '../harness/topic.ts';

/** All topics, in the order in which they run. Loaded when they run: one needs not what another is compared with. */
export const TOPICS: Readonly<Record<string, () => Promise<Topic>>> = {
  check: async () => (await import('./check.ts')).check,
  handler: async () => (await import('./handler.ts')).handler,
  startup: async () => (await import('./startup.ts')).startup,
};
