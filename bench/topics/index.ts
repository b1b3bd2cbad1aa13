import type { Topic } from '../harness/topic.ts';

/**
 * All topics in the order in which they run. Each is loaded when it runs: it does not load the peers of
 * others.
 */
export const TOPICS: Readonly<Record<string, () => Promise<Topic>>> = {
  check: async () => (await import('./check.ts')).check,
  cold: async () => (await import('./cold.ts')).cold,
  handler: async () => (await import('./handler.ts')).handler,
  traces: async () => (await import('./traces.ts')).traces,
  policy: async () => (await import('./policy.ts')).policy,
  lists: async () => (await import('./lists.ts')).lists,
  startup: async () => (await import('./startup.ts')).startup,
  'command-line': async () => (await import('./command-line.ts')).commandLine,
  scale: async () => (await import('./scale.ts')).scale,
  load: async () => (await import('./load.ts')).load,
  servers: async () => (await import('./servers.ts')).servers,
  memory: async () => (await import('./memory.ts')).memory,
  provisioning: async () => (await import('./provisioning.ts')).provisioning,
  administration: async () => (await import('./administration.ts')).administration,
  cost: async () => (await import('./cost.ts')).cost,
  fleet: async () => (await import('./fleet.ts')).fleet,
};
