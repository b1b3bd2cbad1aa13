import { createHash } from 'node:crypto';

/**
 * SHA-256 by Node's own function: WebCrypto gives each text to another thread and waits for it, which takes ten times as
 * long. Every command has a digest.
 */
const { subtle } = crypto;
const digest = Object.getPrototypeOf(subtle).digest as typeof subtle.digest;
subtle.digest = async (algorithm, data) =>
  algorithm === 'SHA-256'
    ? new Uint8Array(
        createHash('sha256')
          .update(data as Uint8Array)
          .digest(),
      ).buffer
    : digest.call(subtle, algorithm, data);
