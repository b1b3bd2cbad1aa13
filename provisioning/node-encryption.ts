import { createCipheriv, createHash, createHmac } from 'node:crypto';
import { IV_BYTES } from '../table/bytes.ts';
import type { Encryption } from './pseudonyms.ts';

/**
 * Encrypts as `createCipher` of table/bytes.ts does, bit for bit, by Node's own functions. WebCrypto gives each of its
 * nine calls for a user to another thread, and takes ten times as long for texts as short as these.
 *
 * @param secret 256 random bits as text
 */
export async function createNodeEncryption(secret: string): Promise<Encryption> {
  const vectors = createHash('sha256').update(`${secret} vector`).digest('base64url');
  const key = createHmac('sha256', secret).update('encrypt').digest();
  return {
    encrypt: async (text) => {
      const iv = createHmac('sha256', vectors).update(text).digest().subarray(0, IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const sealed = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
  };
}
