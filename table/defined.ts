type Defined<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same without the properties whose value is undefined. */
export const defined = <const T extends object>(of: T): Defined<T> =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Defined<T>;
