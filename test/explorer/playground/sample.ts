import { stringify } from 'yaml';
import { exportManifest } from '../../../cli/manifest/export.ts';
import { queriesThrough } from '../../../cli/manifest/queries.ts';
import { createProvisioner } from '../../../local/sample/provision.ts';
import { createSampleWorld } from '../../../local/sample/world.ts';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createMemoryTable } from '../../../table/memory/index.ts';

/** The sample world of `gatehouse dev` as a manifest: what `gatehouse export --no-ids` writes of it. */
export async function sampleManifest(): Promise<string> {
  const { reader, writer } = createMemoryTable();
  let ids = 0;
  // In the order of their creation, so that every export is the same.
  const newId = () => `01M9${String(ids++).padStart(22, '0')}`;
  const provisioning = createProvisioning({
    ...{ reader, writer, newId, newSecret: () => 'not used' },
    ...{ clock: { now: () => Date.UTC(2026, 0, 1) }, budgetMs: Number.POSITIVE_INFINITY },
  });
  await createSampleWorld(createProvisioner((event) => provisioning(event)));
  const queries = queriesThrough(async (event) => ({
    ...{ answer: await provisioning(event), operationId: '', attempts: 1 },
  }));
  const { manifest } = await exportManifest(queries, { roots: undefined, apis: ['default'], ids: false });
  return `${HEAD}${stringify(manifest, { lineWidth: 0, flowCollectionPadding: true })}`;
}

const HEAD = `# yaml-language-server: $schema=../../schemas/manifest.schema.json
# The sample tenants of gatehouse dev, as gatehouse export --no-ids writes them.
`;
