/** Functions that make an error. Their last argument is a message for people: no program depends on its words. */
const ERRORS = new Set(['GatehouseError', 'invalid', 'conflict', 'limitExceeded', 'throttled']);

/** What `declareValuePlugin` of `@stryker-mutator/api` makes. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'error-messages',
    value: {
      shouldIgnore: ({ parent, listKey, key }) =>
        (parent?.type === 'NewExpression' || parent?.type === 'CallExpression') &&
        parent.callee.type === 'Identifier' &&
        ERRORS.has(parent.callee.name) &&
        listKey === 'arguments' &&
        key === parent.arguments.length - 1
          ? 'the message of an error'
          : undefined,
    },
  },
];
