/**
 * Every server has one core, whatever it could use, and the client another: otherwise a server with threads
 * would be measured by what its client leaves of both.
 */
export const SERVER_CORE = '0';
export const CLIENT_CORE = '1';
