/** Who loses and who gains what by commands that are not sent yet (ADR 0019). */
export {
  type AccessDifference,
  accessDifference,
  accessDifferenceBy,
} from './access-difference.ts';
export { compareCommand } from './command.ts';
export { type AccessRow, type AccessSide, NOBODY, peopleText } from './summary.ts';
