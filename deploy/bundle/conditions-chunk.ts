import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

export const CONDITIONS = 'engine/conditions/cel.ts';

/**
 * Keeps CEL out of a function's file: esbuild splits no file of CommonJS, and a function without conditions would
 * read the library at every start. `handler.js` imports `handler.conditions.js`, which is built beside it; by its
 * name Serverless packages it with this handler and no other.
 */
export const conditionsChunk: Plugin = {
  name: 'conditions-chunk',
  setup({ initialOptions, onEnd, onResolve }) {
    const { entryPoints, outdir, plugins: _, ...options } = initialOptions;
    const [entry] = Array.isArray(entryPoints) ? entryPoints : [];
    if (typeof entry !== 'string') throw new Error('the bundle must have one entry point, a path');
    const name = `${basename(entry, '.ts')}.conditions`;
    onResolve({ filter: /\/cel\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${name}.js`, external: true } : undefined,
    );
    onEnd(async () => {
      if (outdir === undefined) return;
      await build({ ...options, entryPoints: [CONDITIONS], outfile: join(outdir, `${name}.js`) });
    });
  },
};
