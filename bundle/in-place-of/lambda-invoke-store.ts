/** Where Lambda would keep what belongs to one of several requests in one process; these functions serve one. */
export const InvokeStore = { getInstanceAsync: async (): Promise<undefined> => undefined };
