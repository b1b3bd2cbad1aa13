/** Ids as identity providers and applications give them (SPEC section 3). */
export const SAMPLE_IDS = {
  'a name': 'alice',
  'a subject of Auth0': 'auth0|5f7c8ec7c33c6c004bbafe82',
  'a name with a number': 'record-1',
  'a subject of Cognito': '6f1f4c1e-2b7a-4c59-9c58-0d8a2b1c3d4e',
  'a base64url subject of 60 characters': 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ_zVJvXq-9Yw8c7Zr1',
  'all digits': '007',
} as const;

/** One row for each, to be given to `test.each`. */
export const SAMPLE_ROWS = Object.entries(SAMPLE_IDS);
