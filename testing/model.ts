/** Entry of what reads and applies manifests without files or processes: it runs in a browser as well. */
export { ProblemsError, readDocument } from './document.ts';
export { applyManifest, prepareManifest } from './manifest.ts';
export { type Provisioned, provisionedInMemory } from './memory.ts';
export type { ManifestNames } from './names.ts';
export { asWrittenLongAgo } from './reader.ts';
