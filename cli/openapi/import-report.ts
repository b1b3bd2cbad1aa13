import { type Changes, requirementText } from '../../provisioning/index.ts';
import { placeText, startOf } from '../../testing/document.ts';
import type { Paint } from '../context.ts';
import { columns, nameOf, section } from '../print.ts';
import { routeData } from '../routes/routes.ts';
import type { ApiDocument, Operation } from './api-document.ts';

/** What an import has done, or would do. */
export interface Imported {
  readonly api: string;
  readonly document: ApiDocument;
  readonly changes: Changes<Operation>;
  /** Operations that are to have no rule. */
  readonly open: readonly Operation[];
  readonly unsaid: readonly Operation[];
  readonly notes: readonly string[];
  readonly isDryRun: boolean;
}

/** A line for each change, then what the document leaves without a rule, then the numbers. */
export function formatImport(imported: Imported, paint: Paint): string {
  const { api, document, changes, open, unsaid, notes, isDryRun } = imported;
  const { creates, updates, removes, kept, unchanged } = changes;
  const rows = [
    ...creates.map((route) => ['+', route.method, route.path, requirementText(route)]),
    ...updates.map(({ route, from, ...set }) => [
      '~',
      route.method,
      route.path,
      `${requirementText({ ...route, ...set })} (was ${requirementText(route)})`,
    ]),
    ...removes.map((route) => ['-', route.method, route.path, requirementText(route)]),
  ];
  const will = isDryRun ? 'would be ' : '';
  const summary = `${creates.length} ${will}created, ${updates.length} ${will}changed, ${removes.length} ${will}removed, ${unchanged.length} unchanged`;
  return `${[
    `${document.source.file}: API ${api}${isDryRun ? ', dry run: nothing is written' : ''}`,
    ...columns(rows).map(
      (line) => `  ${paint(line.startsWith('-') ? 'red' : 'green', line.slice(0, 1))}${line.slice(1)}`,
    ),
    ...section(
      'that the document does not ask for, and that are kept (--prune removes them)',
      kept.map((each) => `${nameOf(each)} (${each.id})`),
    ),
    ...section('not covered by intent: they are open unless something else guards them', open.map(nameOf)),
    ...section(
      'of which the document says nothing: refused, unless a wider route covers them (gatehouse route gaps)',
      unsaid.map((each) => `${nameOf(each)} (${placeText(document.source, each.at)})`),
    ),
    ...section('notes', notes),
    '',
    summary,
  ].join('\n')}\n`;
}

/** The same as data. */
export const importData = ({ api, document, changes, open, unsaid, notes, isDryRun }: Imported) => ({
  api,
  file: document.source.file,
  dryRun: isDryRun,
  created: changes.creates.map(({ from, ...route }) => route),
  changed: changes.updates.map(({ route, from, ...set }) => ({
    ...routeData(route),
    ...set,
    was: routeData(route),
  })),
  removed: changes.removes.map(routeData),
  kept: changes.kept.map(routeData),
  unchanged: changes.unchanged.map(routeData),
  public: open.map(({ method, path }) => ({ method, path })),
  unsaid: unsaid.map((each) => ({
    method: each.method,
    path: each.path,
    ...startOf(document.source, each.at),
  })),
  notes,
});
