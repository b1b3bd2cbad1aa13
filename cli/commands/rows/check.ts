import * as z from 'zod';
import { scopesByRef } from '../../../engine/rows/granted-parts.ts';
import { inPlainWords, problemsOf } from '../../../provisioning/index.ts';
import type { ScopeItem } from '../../../table/decision/items.ts';
import { isType } from '../../../table/identifiers.ts';
import { isObject, parseJson } from '../../../table/json.ts';
import { nodeKey, resourceTypeRef } from '../../../table/keys.ts';
import type { Reader } from '../../../table/reader.ts';
import { parseResourceType, type ResourceType, scopeOf } from '../../../table/resource-type.ts';
import { linesOf } from '../../bulk/json-lines.ts';
import { SourceError } from '../../bulk/rows.ts';
import { connect } from '../../connection.ts';
import { nameOf, openInput, problemIn, sizeOf } from '../../input-file.ts';
import { argument, text } from '../../options.ts';
import { count, plain } from '../../print.ts';
import { NameError } from '../../references.ts';
import { subcommand } from '../../subcommand.ts';

const ROW = z.strictObject({
  id: z.union([z.string(), z.number()]),
  scope: z.string().nullable(),
  path: z.record(z.string(), z.string().nullable()).default({}),
  properties: z.record(z.string(), z.unknown()).default({}),
});
type Row = z.infer<typeof ROW> & { readonly line: number };

/** Rows whose scopes are read together. */
const AT_ONCE = 500;
/** Findings that are kept to be shown. The others are counted. */
const SHOWN = 10_000;

/** `gatehouse rows check`: rows that lists lose, or refuse to everybody. */
export const addCheck = subcommand({
  name: 'check',
  summary: 'find rows whose columns disagree with the tree, or whose scope is closed or gone',
  description:
    'Finds rows whose path columns name another scope than the tree does, which lists may lose, and rows whose scope is closed, deleted or unknown, which are refused to everybody.',
  arguments: [argument('<file>', 'JSON Lines; - is the standard input')],
  options: { type: text('<resource-type>', 'compare the mapping of this resource type, too') },
  examples: '  gatehouse rows check invoices.jsonl --type invoice',
  notes: `Each line of the file is a row as JSON: {"id":17,"scope":"project:north",
"path":{"client":"acme"}}. path holds, by type, what the columns say of the
scopes above; null is NULL. With --type, properties are those that you pass.`,
  run: async ([file], { type, ...options }, context) => {
    await sizeOf(file);
    const reader = await connect(options, context);
    const mapping = type === undefined ? undefined : await mappingOf(reader, type);
    const shown: object[] = [];
    const lines: string[] = [];
    let rows = 0;
    let findings = 0;
    for await (const batch of batchesOf(file)) {
      rows += batch.length;
      const own = await scopesByRef(
        reader,
        batch.flatMap(({ scope }) => scope ?? []),
      );
      const above = [...own.values()].flatMap(({ ancestors }) => ancestors);
      const scopes = await scopesByRef(reader, above, own);
      for (const row of batch)
        for (const [code, message] of findingsIn(row, scopes, mapping)) {
          if (++findings > SHOWN) continue;
          const { line, id, scope } = row;
          shown.push({ line, id, scope, code, message });
          lines.push(plain(`${nameOf(file)}:${line}: ${id}: ${message}`));
        }
    }
    if (findings > SHOWN) lines.push(`… and ${findings - SHOWN} more`);
    return {
      data: { rows, findings, shown },
      text: `${[...lines, `${count(rows, 'row')}, ${count(findings, 'finding')}`].join('\n')}\n`,
      refused: findings > 0,
    };
  },
});

async function* batchesOf(file: string): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  try {
    for await (const { number: line, text } of linesOf(openInput(file))) {
      if (text.trim() === '') continue;
      const data = parseJson(text);
      if (!isObject(data)) throw new SourceError('is not a JSON object on one line', line);
      const row = ROW.safeParse(data, { error: inPlainWords });
      if (!row.success) {
        const [problem] = problemsOf(row.error);
        throw new SourceError([...(problem?.path ?? []), problem?.message].join(' '), line);
      }
      batch.push({ ...row.data, line });
      if (batch.length < AT_ONCE) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    throw error instanceof SourceError ? problemIn(file, error.message, error.line) : error;
  }
  yield batch;
}

type Mapping = ResourceType & { readonly type: string };

async function mappingOf(reader: Reader, type: string): Promise<Mapping> {
  const item = isType(type) ? await reader.get(nodeKey(resourceTypeRef(type))) : undefined;
  if (!item) throw new NameError('name_unknown', `--type ${plain(type)}: there is no such resource type`);
  return { ...parseResourceType(item), type };
}

/** What is wrong with a row: a code, and a sentence. */
function* findingsIn(
  { id, scope, path, properties }: Row,
  scopes: ReadonlyMap<string, ScopeItem>,
  mapping: Mapping | undefined,
): Generator<readonly [code: string, message: string]> {
  const item = scopes.get(scope ?? '');
  if (!item) return yield ['scope_unknown', `its scope ${scope ?? 'NULL'} is unknown, or was deleted`];
  const inTree = [item.ref, ...item.ancestors];
  const closed = inTree.find((ref) => !scopes.get(ref)?.active);
  if (closed !== undefined) yield ['scope_closed', `${closed} is closed`];
  for (const [type, named] of Object.entries(path)) {
    const there = inTree.filter((ref) => ref.startsWith(`${type}:`));
    if (named === null ? there.length > 0 : !there.includes(`${type}:${named}`))
      yield ['path_differs', `its ${type} is ${named ?? 'NULL'}, in the tree ${there.join(', ') || 'none'}`];
  }
  const mapped = mapping && scopeOf(mapping, { type: mapping.type, id: String(id), properties });
  if (mapping && mapped !== scope)
    yield ['mapping_differs', `its scope is ${scope}, by its resource type ${mapped ?? 'none'}`];
}
