import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { observeAll } from './observe.ts';
import { rowOf, writeRows } from './page.ts';
import { createStage } from './stage.ts';

/** Writes anew what is seen (seen.json), of which the table of docs/internals/faults.md is made. */
const engine = await startEmbeddedEngine();
const stage = await createStage(engine.endpoint);
try {
  writeRows((await observeAll(stage)).map(rowOf));
} finally {
  stage.close();
  await engine.stop();
}
