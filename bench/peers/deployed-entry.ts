/** What is measured as it is deployed (deployed.ts). */

export { jwtVerify } from 'jose';
export { createHandlerFrom } from '../../authorizer/compose.ts';
export { createEngine } from '../../engine/engine.ts';
