import { COMMANDS } from '../../provisioning/index.ts';
import { assertNone, type Problem, readDocument, readText } from '../document.ts';
import { referenceProblems } from '../world/references.ts';
import type { World } from '../world/schema.ts';
import { extraProblems, type ManifestFile, readManifest } from './file.ts';
import { type Look, lookWith, type Provision } from './look.ts';
import { PHASES } from './phase.ts';
import { routeChanges } from './routes.ts';
import type { Manifest } from './schema.ts';
import { type Changes, changesBetween, type Pruning, type Step } from './steps.ts';
import { surveyTable } from './survey.ts';
import { withTableNames } from './table-names.ts';
import { namedIn, namesOf } from './together.ts';

export interface PlannedManifest extends Changes {
  readonly file: ManifestFile;
}

export const readManifestFile = async (file: string): Promise<ManifestFile> =>
  readManifest(readDocument(file, await readText(file)));

/** Null says that there is none; a world knows only what is left out. */
const asWorld = (manifest: Manifest): World => withoutNulls(manifest) as World;

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([key, each]) => [key, withoutNulls(each)]),
  );
}

/**
 * What has to be done so that the table has what the manifest says. Reads only. Throws ProblemsError with everything
 * that is wrong with the manifest, by itself or beside what the table has.
 */
export async function planManifest(
  read: ManifestFile,
  provision: Provision,
  pruning: Pruning,
): Promise<PlannedManifest> {
  const look: Look = lookWith(provision);
  const { source, declared } = read;
  const file = { ...read, manifest: await withTableNames(read, look) };
  assertNone(source, [...referenceProblems(asWorld(file.manifest)), ...extraProblems(file.manifest)]);
  const survey = await surveyTable(file, look);
  const changes = changesBetween(survey, declared, pruning);
  const routes = await routeChanges(file, look, pruning);
  const steps = merged(changes.steps, routes.steps);
  assertNone(source, [...survey.problems, ...changes.problems, ...routes.problems, ...inputProblems(steps)]);
  return {
    ...{ file, steps, problems: [] },
    kept: [...changes.kept, ...routes.kept],
    unchanged: changes.unchanged + routes.unchanged,
  };
}

/** A route waits for the permission and the place that it names. */
function merged(steps: readonly Step[], routes: readonly Step[]): readonly Step[] {
  const late = new Set(
    steps
      .filter(({ phase, verb }) => phase === 'together' && verb === 'create')
      .flatMap(({ kind, input }) => namesOf({ kind, identity: input })),
  );
  const timed = routes.map(
    (route): Step =>
      namedIn(route.input).some((name) => late.has(name)) ? { ...route, phase: 'open' } : route,
  );
  return PHASES.flatMap((phase) =>
    (phase === 'open' ? [...timed, ...steps] : [...steps, ...timed]).filter((step) => step.phase === phase),
  );
}

/** How the file calls the fields of commands. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ startsAt: 'from', endsAt: 'until', startDate: 'from', endDate: 'until' },
  ...{ soldBySubscription: 'sold', isDangerous: 'dangerous', isOverridable: 'overridable' },
};

/** What the commands' own schemas say against the steps, before anything is sent. */
const inputProblems = (steps: readonly Step[]): readonly Problem[] =>
  steps.flatMap(({ command, input, path, verb }): readonly Problem[] => {
    if (verb === 'remove') return [];
    const parsed = COMMANDS.get(command)?.input.safeParse(input);
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
