import type { TestProject } from 'vitest/node';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';

/** The DynamoDB engine of the tiers that have one: the embedded one, or whatever DYNAMODB_ENDPOINT names. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('isSoak', project.name === 'soak');
  const given = process.env.DYNAMODB_ENDPOINT;
  if (given) {
    project.provide('endpoint', given);
    project.provide('countsAbsent', false);
    return undefined;
  }
  const engine = await startEmbeddedEngine();
  project.provide('endpoint', engine.endpoint);
  project.provide('countsAbsent', true);
  return engine.stop;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Empty in the unit tier. */
    endpoint: string;
    /** Whether reading what is not there costs a unit, as on AWS; DynamoDB Local says it costs none. */
    countsAbsent: boolean;
    /** Whether this is the soak tier. */
    isSoak: boolean;
  }
}
