import * as z from 'zod';
import { messageOf } from '../../local/message-of.ts';
import { inPlainWords, problemsOf } from '../../provisioning/index.ts';
import { ProblemsError } from '../../testing/document.ts';
import { readFileAsDocument, readText } from '../../testing/text-file.ts';
import type { Leave } from './imported.ts';
import { loadOther } from './other-package.ts';

/** How a relation of a type follows: any one of its parts. What restricts is none of them. */
export interface Relation {
  /** Subjects that a tuple may name: `user`, `group#member`, `user:*`. */
  readonly direct: readonly Direct[];
  /** Other relations of the same object. */
  readonly computed: readonly string[];
  /** Relations of the objects that another relation of the object names: `editor from parent`. */
  readonly from: readonly { readonly relation: string; readonly by: string }[];
}

type Direct = z.infer<typeof DIRECT>;
/** By type, then by name. */
export type Model = ReadonlyMap<string, ReadonlyMap<string, Relation>>;

const NAMED = z.object({ relation: z.string() });
const USERSET = z.object({
  this: z.object({}).optional(),
  computedUserset: NAMED.optional(),
  tupleToUserset: z.object({ tupleset: NAMED, computedUserset: NAMED }).optional(),
  get union() {
    return z.object({ child: z.array(USERSET) }).optional();
  },
  intersection: z.object({}).optional(),
  difference: z.object({}).optional(),
});
type Userset = z.infer<typeof USERSET>;
const DIRECT = z.object({
  type: z.string(),
  relation: z.string().optional(),
  wildcard: z.object({}).optional(),
  condition: z.string().optional(),
});
const MODEL = z.object({
  schema_version: z.string(),
  type_definitions: z.array(
    z.object({
      type: z.string(),
      relations: z.record(z.string(), USERSET).default({}),
      metadata: z
        .object({
          relations: z
            .record(
              z.string(),
              z.object({
                directly_related_user_types: z.array(DIRECT).default([]),
              }),
            )
            .default({}),
        })
        .nullish(),
    }),
  ),
});

interface Transformer {
  readonly transformer: { readonly transformDSLToJSONObject: (text: string) => unknown };
}

/**
 * Reads a model, as JSON or in the language of OpenFGA.
 *
 * @param leave what is not imported, with its reason
 * @returns also the whole model, for a server
 */
export async function readModel(
  file: string,
  leave: Leave,
): Promise<{ readonly model: Model; readonly raw: unknown }> {
  const text = await readText(file);
  const raw = /^\s*\{/.test(text) ? (await readFileAsDocument(file)).data : await fromLanguage(file, text);
  const read = MODEL.safeParse(raw, { error: inPlainWords });
  if (!read.success)
    throw new ProblemsError(
      problemsOf(read.error).map((problem) => ({ file, ...problem, path: problem.path.join('.') })),
    );
  const model = new Map(
    read.data.type_definitions.map(({ type, relations, metadata }) => {
      const named = Object.entries(relations).map(([name, userset]) => {
        const direct = metadata?.relations[name]?.directly_related_user_types ?? [];
        const relation = relationOf(userset, direct, (reason) => leave(`${name} of ${type}`, reason));
        return [name, relation] as const;
      });
      return [type, new Map(named)] as const;
    }),
  );
  return { model, raw };
}

async function fromLanguage(file: string, text: string): Promise<unknown> {
  const { transformer } = await loadOther<Transformer>(
    '@openfga/syntax-transformer',
    'a model that is not JSON',
  );
  try {
    return transformer.transformDSLToJSONObject(text);
  } catch (error) {
    throw new ProblemsError([{ file, message: messageOf(error) }]);
  }
}

/** The parts of a union. `and` and `but not` restrict what stands beside them: nothing of theirs is taken. */
function relationOf(userset: Userset, direct: readonly Direct[], leave: (reason: string) => void): Relation {
  if (userset.intersection)
    leave('`and` restricts, and no role can say it: nothing of this part is imported');
  if (userset.difference)
    leave('`but not` restricts, and no role can say it: nothing of this part is imported');
  const through = userset.tupleToUserset;
  const parts = (userset.union?.child ?? []).map((child) => relationOf(child, direct, leave));
  return {
    direct: [...(userset.this ? direct : []), ...parts.flatMap((part) => part.direct)],
    computed: [userset.computedUserset?.relation ?? [], parts.flatMap((part) => part.computed)].flat(),
    from: [
      ...(through ? [{ relation: through.computedUserset.relation, by: through.tupleset.relation }] : []),
      ...parts.flatMap((part) => part.from),
    ],
  };
}
