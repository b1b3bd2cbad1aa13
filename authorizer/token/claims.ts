declare const verified: unique symbol;

/**
 * The claims of a token whose signature, issuer, audience and dates were checked. Branded: authentication.ts alone
 * makes them, so whoever takes them need not ask where they come from.
 */
export type VerifiedClaims = Readonly<Record<string, unknown>> & { readonly [verified]: true };

/** The claims of who comes with an API token: it says nothing but whose it is. */
export const NO_CLAIMS = Object.freeze({}) as VerifiedClaims;
