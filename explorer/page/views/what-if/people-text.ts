import type { AccessSide } from '../../../../provisioning/index.ts';

/**
 * How many people lose, or gain, in words: `3 people`, `at least 1 person`, `nobody`.
 *
 * @param isLeast whether the difference is incomplete, so that the number is the least that is certain
 */
export const peopleText = ({ people, more }: AccessSide, isLeast: boolean): string => {
  if (people === 0 && !more) return isLeast ? 'not known' : 'nobody';
  const number = `${people.toLocaleString('en')} ${people === 1 && !more ? 'person' : 'people'}`;
  return `${more ? 'more than ' : isLeast ? 'at least ' : ''}${number}`;
};
