import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';

/** SHA-256 as the SDK signs with it, by Node alone: the SDK brings one in JavaScript for where there is no Node. */
export class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  #hash: Hash | Hmac;

  /** With a secret: the HMAC. */
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined || typeof secret === 'string' ? secret : bytesOf(secret);
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    const digest = ('copy' in this.#hash ? this.#hash.copy() : this.#hash).digest();
    return new Uint8Array(digest.buffer, digest.byteOffset, digest.byteLength);
  }

  reset(): void {
    this.#hash = this.#begin();
  }
}

const bytesOf = (data: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
