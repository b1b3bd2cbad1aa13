/** What decisions do without: writing, and the description of entities. */
export const NOT_FOR_DECISIONS = [
  'table/write/',
  'table/decision/entries.ts',
  'table/decision/writes.ts',
  'table/entities/',
  'table/index.ts',
];

/** Whether a path is one of the places, or within one that ends with a slash. */
export const within = (path: string, ...places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
