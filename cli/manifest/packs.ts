import type { Failure } from '../../provisioning/index.ts';
import type { Step } from './steps.ts';

/** Steps that are sent as one transaction. */
export type Pack = readonly Step[];

/** Parts that one transaction may have (the command transaction.write). */
const MOST = 50;
/** As many as usually fit; one more is tried when as many transactions of this size have gone through. */
const FIRST = 16;
const PATIENCE = 5;

const unitsOf = (steps: readonly Step[]): readonly Pack[] => {
  const units: Step[][] = [];
  for (const step of steps) {
    const last = units.at(-1);
    if (last?.[0]?.unit === step.unit && last[0].phase === step.phase) last.push(step);
    else units.push([step]);
  }
  return units;
};

/**
 * The steps of a plan in as few transactions as hold them, in their order; units are kept whole as long as they fit.
 *
 * @param atOnce steps that a transaction begins with, units aside; what is `together` is tried as a whole
 */
export function createPacks(steps: readonly Step[], atOnce?: number) {
  let left = [...unitsOf(steps)];
  let usual = atOnce ?? FIRST;
  let fitting = 0;

  const next = (): Pack | undefined => {
    const [first] = left;
    if (!first) return undefined;
    const isTogether = first[0]?.phase === 'together';
    const most = isTogether ? MOST : usual;
    const pack = [...first.slice(0, MOST)];
    for (const unit of left.slice(1)) {
      const fits = pack.length + unit.length <= most && (unit[0]?.phase === 'together') === isTogether;
      if (!fits) break;
      pack.push(...unit);
    }
    return pack;
  };
  /** Takes off what has been done, from the front. */
  const done = (pack: Pack): void => {
    const gone = new Set(pack);
    left = left.map((unit) => unit.filter((step) => !gone.has(step))).filter((unit) => unit.length > 0);
    if (atOnce !== undefined || pack.length < usual) return;
    fitting += 1;
    if (fitting % PATIENCE === 0) usual = Math.min(MOST, usual + 1);
  };
  /** A smaller pack, where the step at `position` was one too many; undefined where that is all there is. */
  const smaller = (pack: Pack, position: number): Pack | undefined => {
    if (pack.length < 2) return undefined;
    const whole: Step[] = [];
    for (const unit of left) {
      if (whole.length + unit.length > position) break;
      whole.push(...unit);
    }
    if (atOnce === undefined && pack[0]?.phase !== 'together') usual = Math.max(1, Math.min(usual, position));
    return whole.length > 0 ? whole : pack.slice(0, Math.max(1, position));
  };
  return { next, done, smaller };
}

/** Which step an error of transaction.write speaks of. */
export const positionOf = ({ field = '' }: Failure['error']): number | undefined => {
  const [, position] = /^commands\.(\d+)/.exec(field) ?? [];
  return position === undefined ? undefined : Number(position);
};

/** Whether fewer steps may do: it was too much for one transaction, or one of them takes several. */
export const isTooMuch = ({ code, field = '' }: Failure['error']): boolean =>
  code === 'limit_exceeded' || (code === 'invalid' && /^commands\.\d+\.command$/.test(field));
