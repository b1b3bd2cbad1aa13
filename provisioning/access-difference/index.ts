/** Who loses and who gains what by commands that are not sent yet (ADR 0019). */
export {
  type AccessDifference,
  accessDifference,
  accessDifferenceBy,
} from './access-difference.ts';
export { type Change, carryOut } from './carry-out.ts';
export { changesOf, compareCommand } from './command.ts';
export { type Copy, createCopy, TooLarge } from './copy.ts';
export { type AccessRow, type AccessSide, NOBODY, peopleText } from './summary.ts';
