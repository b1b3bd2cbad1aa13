#!/usr/bin/env node
// npm links the command of a package for those who depend on it, not in its own checkout. With this one
// `npx gatehouse-authz` runs the sources there, so that documents are right in both places.
import { register } from 'tsx/esm/api';

register();
if (process.argv.some((arg) => arg === 'dev' || arg === 'explore')) {
  const { buildExplorerIfOlder } = await import('../../deploy/bundle/explorer-if-older.ts');
  await buildExplorerIfOlder().catch((error) =>
    console.error(`the page of the explorer could not be built: ${error.message}`),
  );
}
await import('../../cli/main.ts');
