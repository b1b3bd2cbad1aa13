import { GatehouseError } from '../../table/index.ts';
import {
  applyManifest,
  askedOf,
  asWrittenLongAgo,
  type Creation,
  type NamedKind,
  overriddenDeny,
  type PlacedProblem,
  type PreparedManifest,
  ProblemsError,
  type Provisioned,
  placedIn,
  prepareManifest,
  provisionedInMemory,
  type ReadTests,
  readDocument,
  readTests,
  runTests,
  type Source,
  type TestResult,
  titleOf,
} from '../../testing/model.ts';
import { createService, type Service } from '../service/index.ts';
import { foundByManifest, NAMED_KINDS } from './manifest-names.ts';

/** The texts of the playground. */
export interface Texts {
  readonly manifest: string;
  /** Model tests, of which the manifest is the other text; nothing in it: no tests. */
  readonly tests: string;
}

/** What is wrong with one of the texts, and where. */
export interface TextProblem {
  readonly text: keyof Texts;
  readonly message: string;
  /** From 1, in units of UTF-16, as all of these. */
  readonly line: number;
  readonly column: number;
  /** Just after it; the end of the line where left out. */
  readonly endLine?: number | undefined;
  readonly endColumn?: number | undefined;
}

/** What an edit creates, changes or removes. */
export interface Edit {
  readonly verb: 'create' | 'change' | 'remove';
  /** `role`, `membership`, … */
  readonly kind: string;
  readonly label: string;
}

export interface TestOutcome extends TestResult {
  /** Its name, or what it asks. */
  readonly title: string;
  /** Where it is in the text of the tests. */
  readonly line: number;
}

/** What became of the texts. */
export type ModelState = Awaited<ReturnType<ReturnType<typeof createModel>['update']>>;

export interface ModelOptions {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Lets other events happen, such as the next message with texts. */
  readonly pause?: () => Promise<void>;
}

/** A manifest that was applied. */
interface Applied {
  /** The manifest's data, as JSON: a comment does not change it. */
  readonly key: string;
  readonly prepared: PreparedManifest;
  readonly provisioned: Provisioned;
}

/** Work that is given up because there are newer texts. */
class Overtaken extends Error {}

/** After so long without a pause there is one. */
const PAUSE_AFTER_MS = 20;
const MAX_EDITS = 200;
const MAX_PROBLEMS = 500;

/** A manifest in memory that follows its text. */
export function createModel({ now, pause = nextTask }: ModelOptions) {
  let applied: Applied = { key: '', prepared: NOTHING, provisioned: provisionedInMemory(now) };
  let before: readonly Creation[] = [];
  let tests: ReadTests | undefined;
  let wanted: Texts | undefined;
  let running: ReturnType<typeof take> | undefined;
  let pausedAt = now();

  const serviceOf = ({ provisioned: { reader, provisioning }, prepared }: Applied): Service =>
    createService({
      reader: asWrittenLongAgo(reader),
      provisioning,
      clock: { now },
      about: { place: 'in this page', canWrite: true, isLive: false, apis: apisOf(prepared) },
      nameOf: prepared.names.nameOf,
    });
  let service = serviceOf(applied);

  /** Throws Overtaken where there are newer texts. */
  async function goOn(texts: Texts): Promise<void> {
    if (now() - pausedAt >= PAUSE_AFTER_MS) {
      await pause();
      pausedAt = now();
    }
    if (texts !== wanted) throw new Overtaken();
  }

  /** The manifest on a table of its own; its problems where it has some. */
  async function apply(source: Source, key: string, texts: Texts): Promise<Applied | readonly TextProblem[]> {
    const prepared = await prepareManifest(source.data);
    await goOn(texts);
    if (prepared.problems.length > 0) return placed('manifest', placedIn(source, prepared.problems));
    const provisioned = provisionedInMemory(now);
    const stop = new AbortController();
    const onStep = () => goOn(texts).catch(() => stop.abort());
    try {
      const refused = await applyManifest(prepared, provisioned.provisioning, {
        onStep,
        signal: stop.signal,
      });
      return refused.length > 0
        ? placed('manifest', placedIn(source, refused))
        : { key, prepared, provisioned };
    } catch (error) {
      throw stop.signal.aborted ? new Overtaken() : error;
    }
  }

  async function takeManifest(texts: Texts): Promise<readonly TextProblem[]> {
    try {
      const source = readDocument('manifest', texts.manifest);
      const key = JSON.stringify(source.data);
      if (key === applied.key) return [];
      await goOn(texts);
      const next = await apply(source, key, texts);
      if (!('prepared' in next)) return next;
      before = applied.prepared.steps;
      applied = next;
      service = serviceOf(applied);
      return [];
    } catch (error) {
      return problemsOf('manifest', error);
    }
  }

  function takeTests({ tests: text }: Texts): readonly TextProblem[] {
    try {
      const source = readDocument('tests', text);
      if (source.data === null) {
        tests = undefined;
        return [];
      }
      tests = readTests(source);
      const { manifest, problemsWith } = tests;
      const isInside = manifest !== undefined && typeof manifest !== 'string';
      return placed(
        'tests',
        placedIn(source, [
          ...(isInside
            ? [{ path: ['manifest'], message: 'the manifest is the other text: take it out here' }]
            : []),
          ...(applied.prepared.manifest ? problemsWith(applied.prepared.manifest) : []),
        ]),
      );
    } catch (error) {
      return problemsOf('tests', error);
    }
  }

  async function runThem({ prepared, provisioned }: Applied): Promise<readonly TestOutcome[]> {
    if (!tests || !prepared.manifest) return [];
    const { source } = tests;
    const results = await runTests(
      tests.tests,
      askedOf(prepared.names, asWrittenLongAgo(provisioned.reader), now),
    );
    return results.map((result, position) => ({
      ...result,
      title: titleOf(result),
      line: source.placeOf(['tests', position])?.line ?? 1,
    }));
  }

  async function take(texts: Texts) {
    const ofManifest = await takeManifest(texts);
    const problems = [...ofManifest, ...takeTests(texts)];
    await goOn(texts);
    const outcomes = await runThem(applied);
    await goOn(texts);
    const { manifest, names, steps } = applied.prepared;
    return {
      problems: problems.slice(0, MAX_PROBLEMS),
      /** Whether the table is that of the manifest. If not, the manifest has problems, and the table is that of the last good one. */
      isCurrent: ofManifest.length === 0,
      /** What is allowed in the table's manifest and hardly meant. */
      warning: manifest && overriddenDeny(manifest),
      /** Entries of the table's manifest, by section. */
      counts: countsOf(manifest),
      /** What the last good edit of the manifest changed, beside the one before it. */
      difference: differenceOf(before, steps),
      /** Of the last tests that could be read, on the table. */
      tests: outcomes,
      /** References by name, for each kind. */
      names: Object.fromEntries(
        NAMED_KINDS.map((kind) => [kind, Object.fromEntries(names.of(kind))]),
      ) as Readonly<Record<NamedKind, Readonly<Record<string, string>>>>,
      /** Pages and permissions. */
      permissions: Object.keys({ ...manifest?.pages, ...manifest?.permissions }),
    };
  }

  async function takeLatest(): ReturnType<typeof take> {
    for (;;) {
      const texts = wanted as Texts;
      try {
        const state = await take(texts);
        // From here on until it resolves nothing is waited for: a later call begins anew.
        running = undefined;
        return state;
      } catch (error) {
        if (error instanceof Overtaken) continue;
        running = undefined;
        throw error;
      }
    }
  }

  /** Over the last good table. */
  const serviceNow: Service = async (method, input) => {
    const { names } = applied.prepared;
    return foundByManifest(method, input, await service(method, input), names);
  };

  return {
    service: serviceNow,
    /**
     * Takes new texts. A call that a later one overtakes is given up, and resolves with what became of the later one's
     * texts.
     */
    update: (texts: Texts) => {
      wanted = texts;
      running ??= takeLatest();
      return running;
    },
  };
}

/** Of a page with nothing in it. */
const NOTHING: PreparedManifest = {
  manifest: undefined,
  data: {},
  problems: [],
  steps: [],
  names: { of: () => new Map(), nameOf: () => undefined },
};

declare const setTimeout: (callback: () => void, milliseconds: number) => unknown;
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const placed = (text: keyof Texts, problems: readonly PlacedProblem[]): readonly TextProblem[] =>
  problems.map(({ line = 1, column = 1, endLine, endColumn, path, message }) => ({
    text,
    line,
    column,
    message: path === undefined ? message : `${path}: ${message}`,
    endLine,
    endColumn,
  }));

/** What is wrong with a text, where an error says so; otherwise the error goes on. */
function problemsOf(text: keyof Texts, error: unknown): readonly TextProblem[] {
  if (error instanceof ProblemsError) return placed(text, error.problems);
  if (error instanceof GatehouseError) return placed(text, [{ file: text, message: error.message }]);
  throw error;
}

/** Entries by section, of those that have some. */
const countsOf = (manifest: PreparedManifest['manifest']): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(manifest ?? {}).flatMap(([section, entries]) => {
      const count = typeof entries === 'object' && entries !== null ? Object.keys(entries).length : 0;
      return count > 0 ? [[section, count]] : [];
    }),
  );

/** What one manifest has and the other has not, as each of them creates it on an empty table. */
function differenceOf(before: readonly Creation[], after: readonly Creation[]) {
  const nameOf = ({ command, label }: Creation) => `${command} ${label}`;
  const keyOf = (step: Creation) => `${nameOf(step)} ${JSON.stringify(step.input)}`;
  const known = new Set(before.map(keyOf));
  const kept = new Set(after.map(keyOf));
  /** Of one name there may be several, as assignments of one role are. */
  const gone = new Map<string, Creation[]>();
  for (const step of before)
    if (!kept.has(keyOf(step))) gone.set(nameOf(step), [...(gone.get(nameOf(step)) ?? []), step]);
  const edits = after
    .filter((step) => !known.has(keyOf(step)))
    .map((step): Edit => {
      const old = gone.get(nameOf(step))?.pop();
      return { verb: old ? 'change' : 'create', kind: step.kind, label: step.label };
    });
  for (const { kind, label } of [...gone.values()].flat()) edits.push({ verb: 'remove', kind, label });
  const count = (verb: Edit['verb']) => edits.filter((edit) => edit.verb === verb).length;
  return {
    create: count('create'),
    change: count('change'),
    remove: count('remove'),
    /** The first of them. */
    edits: edits.slice(0, MAX_EDITS),
  };
}

/** The APIs that have routes in a manifest. */
const apisOf = ({ manifest }: PreparedManifest): readonly string[] => [
  ...new Set(manifest?.routes.map(({ api = 'default' }) => api)),
];
