import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { asCustomerId } from '../../../src/domain/id.js';
import { createSealer, credentialContext } from '../../../src/store/secrets/seal.js';

describe('a sealed secret', () => {
  const sealer = createSealer(randomBytes(32));

  it('opens to what was sealed', () => {
    const sealed = sealer.seal('sk_secret ✓', 'a');
    expect(sealer.open(sealed, 'a').toString('utf8')).toBe('sk_secret ✓');
    expect(sealed.includes(Buffer.from('sk_secret'))).toBe(false);
  });

  it('looks different each time', () => {
    expect(sealer.seal('x', 'a')).not.toEqual(sealer.seal('x', 'a'));
  });

  it('does not open for another customer', () => {
    const sealed = sealer.seal('secret', credentialContext(asCustomerId(1n), 'pk_a'));
    expect(() => sealer.open(sealed, credentialContext(asCustomerId(2n), 'pk_a'))).toThrow();
  });

  it('does not open under another key', () => {
    expect(() => createSealer(randomBytes(32)).open(sealer.seal('secret', 'a'), 'a')).toThrow();
  });

  it('does not open when any byte was changed', () => {
    const sealed = sealer.seal('secret', 'a');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => sealer.open(changed, 'a')).toThrow();
    }
  });

  it('does not open when cut short', () => {
    const sealed = sealer.seal('secret', 'a');
    expect(() => sealer.open(sealed.subarray(0, 20), 'a')).toThrow('not a sealed value');
  });

  it('needs a key of 32 bytes', () => {
    expect(() => createSealer(randomBytes(16))).toThrow('32');
  });
});
