/** Entry of what reads, applies and tests manifests without files or processes: it runs in a browser as well. */
export { overriddenDeny } from '../provisioning/apply/overridden-deny.ts';
export { type PlacedProblem, ProblemsError, placedIn, readDocument, type Source } from './document.ts';
export { applyManifest, type Creation, type PreparedManifest, prepareManifest } from './manifest.ts';
export type { ManifestNames, NamedKind } from './manifest-names.ts';
export { type Provisioned, provisionedInMemory } from './memory.ts';
export { type ReadTests, readTests } from './model-tests/file.ts';
export { type Answered, askedOf, runTests, type TestResult, titleOf } from './model-tests/run.ts';
export { asWrittenLongAgo } from './reader.ts';
