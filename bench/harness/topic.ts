import type { Figure } from './figures.ts';

export interface TopicContext {
  /** Fewer rounds, for CI: enough for the budgets, too few for documents. */
  readonly quick: boolean;
  /** Prints a line of progress. */
  readonly log: (line: string) => void;
}

/** One subject of `npm run bench`, in the file of its name. */
export interface Topic {
  readonly title: string;
  readonly run: (context: TopicContext) => Promise<readonly Figure[]>;
}
