import { expect, test } from 'vitest';
import { createNodeEncryption } from '../../provisioning/node-encryption.ts';
import { createCipher } from '../../table/bytes.ts';
import * as fc from '../support/fast-check.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });

test("Node's own functions encrypt as WebCrypto does, and it decrypts what they encrypted", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.string({ minLength: 1 }), async (text, secret) => {
      const [cipher, encryption] = [await createCipher(secret), await createNodeEncryption(secret)];
      const encrypted = await encryption.encrypt(text);
      expect(encrypted).toBe(await cipher.encrypt(text));
      expect(await cipher.decrypt(encrypted)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)));
    }),
  );
});
