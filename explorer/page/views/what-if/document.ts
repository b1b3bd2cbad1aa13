import { ProblemsError, readDocument } from '../../../../testing/model.ts';
import { isObject } from '../../json.ts';

/** Loaded when a manifest is opened: it reads YAML. */

type Data = Readonly<Record<string, unknown>>;

/** What a text holds: a manifest, or a plan that `gatehouse plan --out` wrote, both unchecked. */
export type Opened = { readonly manifest: Data } | { readonly plan: Data } | { readonly problem: string };

/** Reads YAML, of which JSON is a part. */
export function openText(name: string, text: string): Opened {
  let data: unknown;
  try {
    ({ data } = readDocument(name, text));
  } catch (error) {
    if (error instanceof ProblemsError) return { problem: error.message };
    throw error;
  }
  if (!isObject(data)) return { problem: `${name} is neither a manifest nor a plan` };
  return Object.hasOwn(data, 'gatehousePlan') ? { plan: data } : { manifest: data };
}
