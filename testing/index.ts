/** Entry of the testing kit: a manifest in memory, for unit tests. */
export type { Instant, TestClock } from './clock.ts';
export { ProblemsError } from './document.ts';
export type { ManifestInput } from './manifest-input.ts';
export type { NamedKind } from './manifest-names.ts';
export { rowsInMemory } from './rows-in-memory.ts';
export { type TestCheckOptions, type TestEngine, type TestEngineOptions, testEngine } from './test-engine.ts';
