/** All that is used of the library for CEL (ADR 0020). */
export { type ASTNode, Environment, ParseError, TypeError as TypeFault } from '@marcbachmann/cel-js';
