import { tsImport } from 'tsx/esm/api';

/** bundle/conditions-chunk.ts for Serverless, which asks for plugins at once. */
export default [
  {
    name: 'conditions-chunk',
    setup: async (build) => {
      const { conditionsChunk } = await tsImport('./conditions-chunk.ts', import.meta.url);
      return conditionsChunk.setup(build);
    },
  },
];
