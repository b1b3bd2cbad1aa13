import type { LogCoverage, LogSource } from './log-coverage.ts';

/** A number of things in words. */
export const count = (of: number, one: string, many = `${one}s`): string =>
  `${of.toLocaleString('en')} ${of === 1 ? one : many}`;

/** What a decision log does not say, in words: a line for each kind of gap; none where every decision has a line. */
export function gapsIn(coverage: LogCoverage): readonly string[] {
  const { rate, lost, lostIn, unended, unnumbered, damaged, sources } = coverage;
  const named = (is: keyof LogSource): string =>
    [...sources].flatMap(([name, source]) => (source[is] ? name : [])).join(', ');
  const [silent, cached] = [named('hasNoAllows'), named('hasPolicies')];
  const processes = (of: number): string => count(of, 'process', 'processes');
  const gaps: readonly (readonly [boolean, string])[] = [
    [rate > 0 && rate < 1, `allows are a sample of ${rate}`],
    [silent !== '', `no allow is in the log of ${silent}`],
    [cached !== '', `API Gateway may have answered for ${cached} from its cache, without a line`],
    [lost > 0, `${count(lost, 'line')} of ${processes(lostIn)} missing`],
    [unended > 0, `${processes(unended)} without an end: up to a minute of each may be missing`],
    [unnumbered > 0, `${count(unnumbered, 'decision')} without a number: what is missing is not seen`],
    [damaged > 0, `${count(damaged, 'line')} could not be read`],
  ];
  return gaps.flatMap(([isThere, text]) => (isThere ? text : []));
}
