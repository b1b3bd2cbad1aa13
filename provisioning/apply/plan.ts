import { GatehouseError } from '../../table/errors.ts';
import { inPlainWords } from '../issues.ts';
import { withTableNames } from './catalogue-names.ts';
import { declarationsIn, propertyProblems } from './conditions.ts';
import { namedIn, namesOf } from './inseparable.ts';
import type { Parsed } from './parse.ts';
import { PHASES } from './phase.ts';
import { type Problem, pointerOf } from './problem.ts';
import type { ReadingOptions } from './reading/reading.ts';
import { readState } from './reading/state.ts';
import { referenceProblems } from './references.ts';
import { compareRoutes } from './routes.ts';
import type { Commands, State } from './state.ts';
import { type Comparison, compare, type Pruning, type Step } from './steps.ts';
import { takenTooEarly } from './taken-values.ts';
import { WORDS } from './words.ts';

/** What has to be done so that the table has what a manifest says; `state` is undefined where it was not read. */
export interface ManifestPlan extends Comparison {
  readonly state: State | undefined;
}

/** More steps than this are not planned at once. Their list has to fit into an answer (6 MB on Lambda). */
const MAX_STEPS = 10_000;

/**
 * Compares a manifest with the table. Reads only. Where there are problems, with the manifest by itself or beside the
 * table, there is no step.
 *
 * @throws GatehouseError `limit_exceeded` beyond {@link MAX_STEPS} steps
 */
export async function planManifest(
  parsed: Parsed,
  pruning: Pruning,
  options: ReadingOptions,
): Promise<ManifestPlan> {
  const { queries, commands } = options;
  const nothing = { steps: [], kept: [], unchanged: 0 };
  const complete = { ...parsed, manifest: await withTableNames(parsed, queries) };
  const wrong = referenceProblems(complete.manifest);
  if (wrong.length > 0) return { ...nothing, problems: wrong, state: undefined };
  const state = await readState(complete, options);
  const { lasting, all } = declarationsIn(state, pruning.shared && complete.declared.has('properties'));
  const ofProperties = await propertyProblems(state, lasting);
  const nodes = compare(state, complete.declared, pruning, commands, all);
  const routes = await compareRoutes(complete, state.scopes, queries, pruning);
  const steps = merged(nodes.steps, routes.steps);
  if (steps.length > MAX_STEPS)
    throw new GatehouseError(
      'limit_exceeded',
      `this comes to ${steps.length} changes, and ${MAX_STEPS} are possible at once: divide the manifest`,
      { field: 'manifest' },
    );
  const problems = [
    ...state.problems,
    ...ofProperties,
    ...nodes.problems,
    ...routes.problems,
    ...inputProblems(commands, steps),
  ];
  const wrongAtAll = problems.length > 0 ? problems : takenTooEarly(nodes.steps, state);
  if (wrongAtAll.length > 0) return { ...nothing, problems: wrongAtAll, state };
  return {
    steps,
    problems,
    state,
    // Nothing follows from what a part leaves out.
    kept: complete.manifest.part ? [] : [...nodes.kept, ...routes.kept],
    unchanged: nodes.unchanged + routes.unchanged,
  };
}

/** A route waits for the permission and the scope that it names. */
function merged(steps: readonly Step[], routes: readonly Step[]): readonly Step[] {
  const late = new Set(
    steps
      .filter(({ phase, verb }) => phase === 'together' && verb === 'create')
      .flatMap(({ kind, input }) => namesOf({ kind, identity: input })),
  );
  const placed = routes.map(
    (route): Step =>
      namedIn(route.input).some((name) => late.has(name)) ? { ...route, phase: 'open' } : route,
  );
  return PHASES.flatMap((phase) =>
    (phase === 'open' ? [...placed, ...steps] : [...steps, ...placed]).filter((step) => step.phase === phase),
  );
}

/** What the schemas of the commands refuse in the steps. */
const inputProblems = (commands: Commands, steps: readonly Step[]): readonly Problem[] =>
  steps.flatMap(({ command, input, path, verb }): readonly Problem[] => {
    if (verb === 'remove') return [];
    const parsed = commands.get(command)?.input.safeParse(input, { error: inPlainWords });
    if (!parsed || parsed.success) return [];
    return parsed.error.issues.flatMap((issue) => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => ({
          path: [...path, WORDS[key] ?? key],
          message: 'has no place here',
        }));
      const [field] = issue.path;
      const word = WORDS[String(field)] ?? String(field);
      const isMissing = field !== undefined && input[String(field)] === undefined;
      return [{ path: [...path, word], message: isMissing ? 'is needed here' : issue.message }];
    });
  });

const MAX_SHOWN = 10;

/** The error for a manifest with problems: it names the place of the first one and lists some. */
export function problemsError(problems: readonly Problem[]): GatehouseError {
  const lines = problems
    .slice(0, MAX_SHOWN)
    .map(({ path, message }) => (problems.length === 1 ? message : `${pointerOf(path)} ${message}`));
  const rest = problems.length - lines.length;
  return new GatehouseError('invalid', `${lines.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`.trim(), {
    field: `manifest${pointerOf(problems[0]?.path ?? [])}`,
  });
}
