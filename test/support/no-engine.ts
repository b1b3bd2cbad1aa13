import type { TestProject } from 'vitest/node';

/** The unit tier has no DynamoDB engine. */
export default function setup(project: TestProject): void {
  project.provide('endpoint', '');
  project.provide('countsAbsent', true);
  project.provide('isSoak', false);
}
