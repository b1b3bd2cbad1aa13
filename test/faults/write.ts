import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { observeAll } from './observe.ts';
import { rowOf, writeRows } from './page.ts';
import { createStage } from './stage.ts';

/** Writes the table of docs/faults.md anew. */
const engine = await startEmbeddedEngine();
const stage = await createStage(engine.endpoint);
try {
  writeRows((await observeAll(stage)).map(rowOf));
} finally {
  stage.close();
  await engine.stop();
}
