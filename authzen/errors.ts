/** No valid credential: 401. The code is for the log. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
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
