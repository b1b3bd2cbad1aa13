import { type ErrorCode, GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { carryOut, createCopy, TooLarge } from '../access-difference/index.ts';
import { explainerOf } from './batch.ts';
import { type Path, type Problem, pathOf } from './problem.ts';
import type { Commands } from './state.ts';
import type { Step } from './steps.ts';

/** How much of the table is copied for it: an apply has the time of one invocation for this and its first steps. */
const MOST = { items: 4_000, calls: 1_000 };

/** What stays refused, however often it is tried. */
const LASTING: ReadonlySet<ErrorCode> = new Set(['invalid', 'conflict', 'not_found', 'limit_exceeded']);

/**
 * The first step that is refused once those before it are done, as a problem of the manifest: an apply would stop there,
 * half done. They are carried out on a copy in memory.
 *
 * @returns none also where it is not known: where the copy would be too large, and where the table does not answer
 */
export async function refusedStep(
  steps: readonly Step[],
  { reader, commands, at }: { readonly reader: Reader; readonly commands: Commands; readonly at: number },
): Promise<readonly Problem[]> {
  let place: Path = [];
  const changes = steps.map((step) => ({
    ...step,
    explain: (error: GatehouseError) => {
      place = step.path;
      return explainerOf(step)(error);
    },
  }));
  try {
    await carryOut(changes, createCopy(reader, MOST), commands, at, true);
    return [];
  } catch (error) {
    if (error instanceof TooLarge) return [];
    if (!(error instanceof GatehouseError)) throw error;
    if (!LASTING.has(error.code)) return [];
    const { field = '', message, holder } = error;
    // A pointer does not say what is a position.
    const path = [...place, ...pathOf(field).slice(place.length)];
    return [{ path, message: holder === undefined ? message : `${message} (${holder})` }];
  }
}
