import type { Route } from '../../provisioning/index.ts';
import { hint } from '../../table/similar-words.ts';
import { placeText, startOf } from '../../testing/document.ts';
import { type Paint, UsageError } from '../context.ts';
import { count, nameOf, plain, section } from '../print.ts';
import { coverageOf, unusedRoutes } from '../routes/coverage.ts';
import { routeData } from '../routes/routes.ts';
import type { ApiDocument, Operation } from './api-document.ts';

/** The differences between the routes of an API and the operations of a document. */
type Gaps = ReturnType<typeof findGaps>;

/** The operations that `--public` names. Throws {@link UsageError} for one that the document does not have. */
export function readPublic(texts: readonly string[], { operations }: ApiDocument): ReadonlySet<string> {
  const known = operations.map(nameOf);
  for (const text of texts)
    if (!known.includes(text))
      throw new UsageError(`--public ${text} is not an operation of the document: ${hint(text, known)}`);
  return new Set(texts);
}

/** Browsers send preflight requests without credentials, so no authorizer can guard them. */
const isPreflight = ({ method, isGuarded }: Operation): boolean =>
  method === 'OPTIONS' && isGuarded === false;

/** Compares a document with the routes of an API. */
export function findGaps(
  api: string,
  document: ApiDocument,
  routes: readonly Route[],
  named: ReadonlySet<string>,
) {
  const isIntended = (operation: Operation) =>
    operation.requirement === 'public' || named.has(nameOf(operation)) || isPreflight(operation);
  const asked = document.operations.filter((operation) => !isIntended(operation));
  const found = asked.map((operation) => ({ operation, coverage: coverageOf(routes, operation) }));
  return {
    api,
    document,
    covered: found.filter(({ coverage }) => coverage.kind === 'covered').length,
    uncovered: found.flatMap(({ operation, coverage }) =>
      coverage.kind === 'uncovered' ? [{ operation, why: coverage.why }] : [],
    ),
    /** Operations for which API Gateway calls no Lambda authorizer, so no rule applies. */
    open: asked.filter(({ isGuarded }) => isGuarded === false),
    loose: found.flatMap(({ operation, coverage }) =>
      coverage.kind === 'loose' ? [{ operation, routes: coverage.routes }] : [],
    ),
    unused: unusedRoutes(
      routes,
      asked,
      found.map(({ coverage }) => coverage),
    ),
    /** Not covered by intent. */
    intended: document.operations.filter(isIntended),
  };
}

/** Whether there are gaps. Wider and unused rules count only when strict: both may be intended. */
export const hasFailed = ({ uncovered, open, loose, unused }: Gaps, strict: boolean): boolean =>
  uncovered.length + open.length > 0 || (strict && loose.length + unused.length > 0);

/** One line for each gap, then the totals. */
export function formatGaps(gaps: Gaps, paint: Paint): string {
  const { api, document, covered, uncovered, open, loose, unused, intended } = gaps;
  const placed = (operation: Operation) => `(${placeText(document.source, operation.at)})`;
  const total = covered + uncovered.length + loose.length;
  const lines = [
    `${document.source.file}: ${count(document.operations.length, 'operation')}, API ${api}`,
    ...section(
      paint('red', 'refused: no rule'),
      uncovered.map(({ operation, why }) => `${nameOf(operation)}: ${plain(why)} ${placed(operation)}`),
    ),
    ...section(
      paint('red', 'open: no Lambda authorizer guards them'),
      open.map((operation) => `${nameOf(operation)} ${placed(operation)}`),
    ),
    ...section(
      'covered by a wider or another rule only',
      loose.map(({ operation, routes }) => `${nameOf(operation)}: ${routes.map(nameOf).join(', ')}`),
    ),
    ...section(
      'rules that no operation uses',
      unused.map((route) => `${nameOf(route)} (${route.id})`),
    ),
    ...section('not covered by intent', intended.map(nameOf)),
    ...section('notes', document.notes),
    '',
    `${covered} of ${total} covered by a rule of their own, ${loose.length} by another, ${uncovered.length} by none; ${open.length} open, ${unused.length} unused`,
  ];
  return `${lines.join('\n')}\n`;
}

/** The same as data. */
export const gapsData = (gaps: Gaps) => {
  const { api, document, covered, uncovered, open, loose, unused, intended } = gaps;
  const data = ({ method, path, at }: Operation) => ({ method, path, ...startOf(document.source, at) });
  return {
    api,
    file: document.source.file,
    operations: document.operations.length,
    covered,
    uncovered: uncovered.map(({ operation, why }) => ({ ...data(operation), why })),
    open: open.map(data),
    loose: loose.map(({ operation, routes }) => ({ ...data(operation), routes: routes.map(routeData) })),
    unused: unused.map(routeData),
    public: intended.map(data),
    notes: document.notes,
  };
};
