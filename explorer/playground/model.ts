import {
  applyManifest,
  asWrittenLongAgo,
  type ManifestNames,
  ProblemsError,
  type Provisioned,
  prepareManifest,
  provisionedInMemory,
  readDocument,
} from '../../testing/model.ts';
import type { Service } from '../service/index.ts';
import { createService } from '../service/index.ts';

/** The texts of the playground. */
export interface Texts {
  readonly manifest: string;
  readonly tests: string;
}

/** What is wrong with one of the texts, and where. */
export interface TextProblem {
  readonly text: keyof Texts;
  readonly message: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** What became of the texts. */
export interface ModelState {
  readonly problems: readonly TextProblem[];
}

/** A manifest in memory that follows its text. */
export interface Model {
  /** Takes new texts. With problems, the last good table stays. */
  readonly update: (texts: Texts) => Promise<ModelState>;
  /** Over the last good table. */
  readonly service: Service;
}

export function createModel({ now }: { readonly now: () => number }): Model {
  const serviceOf = (
    { reader, provisioning }: Provisioned,
    names?: ManifestNames,
    apis?: readonly string[],
  ) =>
    createService({
      reader: asWrittenLongAgo(reader),
      provisioning,
      clock: { now },
      about: { place: 'in this page', canWrite: true, isLive: false, ...(apis ? { apis } : {}) },
      nameOf: names?.nameOf,
    });
  let service = serviceOf(provisionedInMemory(now));
  return {
    service: (method, input) => service(method, input),
    update: async ({ manifest }) => {
      try {
        const source = readDocument('manifest', manifest);
        const prepared = await prepareManifest(source.data);
        if (prepared.problems.length > 0)
          return {
            problems: prepared.problems.map(({ path, message }) => ({
              ...{ text: 'manifest' as const, message },
              ...(source.placeOf(path) ?? { line: 1, column: 1 }),
            })),
          };
        const provisioned = provisionedInMemory(now);
        await applyManifest(prepared, provisioned.provisioning);
        const apis = new Set(prepared.manifest?.routes.map(({ api = 'default' }) => api));
        service = serviceOf(provisioned, prepared.names, [...apis]);
        return { problems: [] };
      } catch (error) {
        if (!(error instanceof ProblemsError)) throw error;
        return { problems: [{ text: 'manifest', message: error.message, line: 1, column: 1 }] };
      }
    },
  };
}
