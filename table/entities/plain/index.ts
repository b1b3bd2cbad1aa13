/** The kinds of nodes that are no more than their entry, a line for each: they hang on a scope or on nothing, and give no rights. */
export { address } from './address.ts';
export { tool } from './tool.ts';
export { product, service } from './used.ts';
