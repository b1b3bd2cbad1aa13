/** No valid credential: 401. The code, and the name of a claim, are for the log. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  readonly code: string;
  readonly claim: string | undefined;

  constructor(code: string, claim?: string) {
    super(code);
    this.code = code;
    this.claim = claim;
  }
}

/** A caller that may evaluate nowhere: 403. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

/** A request that is no request of the protocol: 400, with a message that names the field. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
}
