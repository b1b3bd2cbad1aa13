/** All that is used of the library for CEL (ADR 0030). */
export { ParseError, TypeError as TypeFault } from '@marcbachmann/cel-js';
export { Duration, Environment } from '@marcbachmann/cel-js/evaluator';
