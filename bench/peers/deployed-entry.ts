/** Entry of the bundle that is measured (deployed.ts). */

export { jwtVerify } from 'jose';
export { createHandlerFrom } from '../../authorizer/compose.ts';
export { createEngine } from '../../engine/engine.ts';
export { createVisibleRows, defineRows, text } from '../../engine/rows/index.ts';
export { testEngine } from '../../testing/test-engine.ts';
