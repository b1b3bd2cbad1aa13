import { LRUCache } from 'lru-cache';
import { type Found, MAX_KEYS, type WantedName } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { isId } from '../../table/identifiers.ts';
import type { Pacing } from '../../table/read/pacing.ts';
import { batchesOf } from '../../table/reader.ts';
import { isFault, RefusedError } from '../provisioning.ts';
import { lookUp, NameError, type Names, type Resolve, type Typed } from '../references.ts';
import { type BatchedCommand, type BatchTransport, TransportError } from '../transport.ts';

/**
 * Names in rows (ADR 0023). A text that has the form of an email or an id is looked up by one key, a hundred of them in
 * one event, and only what this does not find as arguments are. Each is looked up once in a load.
 */
export interface RowNames {
  /** Throws {@link NameError}, and {@link RefusedError} where whoever acts may not look names up. */
  readonly resolve: Resolve;
  /** Looks up anew what nothing had: rows before have been written meanwhile. */
  readonly forgetUnknown: () => void;
}

interface RowNamesOptions {
  readonly send: BatchTransport;
  readonly pacing: Pacing;
  /** How many names are remembered: those that were used last. */
  readonly remembered?: number;
}

/** Some 25 MB. */
const REMEMBERED = 100_000;
/** Each suggestion takes several Queries: a file of names that nothing has gets so many. */
const SUGGESTIONS = 20;

export function createRowNames({ send, pacing, remembered = REMEMBERED }: RowNamesOptions): RowNames {
  const known = new LRUCache<string, Promise<string>>({ max: remembered });
  const unknown = new LRUCache<string, Promise<string>>({ max: remembered });
  let suggested = 0;
  const ask = (commands: readonly BatchedCommand[]) => answersTo({ send, pacing }, commands);

  const owner = together(async (wanted: readonly WantedName[]) => {
    const [answer] = await ask([{ command: 'name.owners', input: { names: wanted } }]);
    if (answer instanceof RefusedError) return wanted.map(() => answer);
    const owners = answer?.owners as readonly (string | null)[];
    return wanted.map((_, position) => owners[position] ?? undefined);
  });
  const finding = together((wanted: readonly WantedName[]) =>
    ask(wanted.map((input) => ({ command: 'name.find', input: { ...input } }))),
  );
  const suggesting = together((wanted: readonly WantedName[]) =>
    ask(wanted.map(({ name, kind }) => ({ command: 'name.suggest', input: { name, kind } }))),
  );
  const names: Names = {
    find: async (wanted) => (await finding(wanted)) as unknown as Found,
    suggest: async (wanted) =>
      ++suggested > SUGGESTIONS ? undefined : ((await suggesting(wanted)).meant as string | undefined),
  };

  async function lookedUp(typed: Typed, text: string): Promise<string> {
    const { kind, type } = typed;
    const wanted = { name: text, kind, ...defined({ type }) };
    if (!hasForm(text)) return (await lookUp(names, typed, text)).ref;
    try {
      return (await owner(wanted)) ?? (await lookUp(names, typed, text)).ref;
    } catch (error) {
      // An operator who may write in one tenant may give ids there, and look nothing up.
      if (error instanceof RefusedError && isId(text) && !text.includes('@')) return text;
      throw error;
    }
  }

  return {
    resolve: (typed, text) => {
      const key = `${typed.kind} ${typed.type ?? ''} ${text}`;
      const found = known.get(key) ?? unknown.get(key);
      if (found) return found;
      const looking = lookedUp(typed, text);
      known.set(key, looking);
      looking.catch((error: unknown) => {
        known.delete(key);
        if (error instanceof NameError) unknown.set(key, looking);
      });
      return looking;
    },
    forgetUnknown: () => unknown.clear(),
  };
}

/** Whether a text may be an email, a phone number or an id: these are found by one key. */
const hasForm = (text: string): boolean =>
  isId(text) || /^\S+@\S+$/.test(text) || /^\+[\d\s().-]+$/.test(text);

/** Does for many at once what is asked for one by one, at most {@link MAX_KEYS} at a time. */
function together<T, R>(run: (asked: readonly T[]) => Promise<readonly (R | RefusedError)[]>) {
  interface Asking {
    readonly asked: T;
    readonly answer: (of: Promise<R | RefusedError>) => void;
  }
  let waiting: Asking[] = [];
  let isPlanned = false;
  const go = (): void => {
    isPlanned = false;
    const all = waiting;
    waiting = [];
    for (const some of batchesOf(all, MAX_KEYS)) {
      const ran = run(some.map(({ asked }) => asked));
      for (const [position, { answer }] of some.entries())
        answer(ran.then((found) => found[position] as R | RefusedError));
    }
  };
  return async (asked: T): Promise<R> => {
    const answer = await new Promise<R | RefusedError>((resolve) => {
      waiting.push({ asked, answer: resolve });
      // After all rows that are there already.
      if (!isPlanned) setImmediate(go);
      isPlanned = true;
    });
    if (answer instanceof RefusedError) throw answer;
    return answer;
  };
}

/** The results of reading commands, or why each was refused. Those that got no answer are sent again. */
async function answersTo(
  { send, pacing }: Pick<RowNamesOptions, 'send' | 'pacing'>,
  commands: readonly BatchedCommand[],
): Promise<readonly (Readonly<Record<string, unknown>> | RefusedError)[]> {
  const signal = pacing.deadline();
  for (let attempt = 1; ; attempt++) {
    let fault: TransportError;
    try {
      const answers = await send({ batch: commands }, signal);
      const failed = answers.find((answer) => !answer.ok && isFault(answer.error));
      if (!failed || failed.ok)
        return answers.map((answer) => (answer.ok ? answer.result : new RefusedError(answer.error)));
      fault = new TransportError(failed.error.message, failed.error.retryable);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      fault = error;
    }
    if (!fault.retryable || signal.aborted) throw fault;
    await pacing.pause(attempt, signal);
    if (signal.aborted) throw fault;
  }
}
