/** A number with what is counted: `1 row`, `2 rows`, `3 people`. */
export const counted = (number: number, one: string, several = `${one}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
