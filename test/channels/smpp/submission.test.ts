import { describe, expect, it } from 'vitest';
import type { SmppConfig } from '../../../src/channels/smpp/config.js';
import { createSubmissionBuilder } from '../../../src/channels/smpp/submission.js';
import { createConfig, createPart } from './peer.js';

const NOW = Date.parse('2026-11-15T23:30:00Z');

function validityOf(validUntil: string | undefined, over: Partial<SmppConfig> = {}): string | undefined {
  const build = createSubmissionBuilder(createConfig(2775, over), () => NOW);
  const part = createPart(validUntil === undefined ? {} : { validUntil: new Date(validUntil) });
  const submission = build(part, [part]);
  return submission.fault === undefined ? submission.body.validity_period : undefined;
}

describe('the time until a message is of use', () => {
  it('goes to the carrier as a time', () => {
    expect(validityOf('2026-11-16T01:02:03Z')).toBe('261116010203000+');
  });

  it('goes as a span where the carrier’s clock cannot be relied on', () => {
    expect(validityOf('2026-11-18T01:32:03Z', { expiry: 'relative' })).toBe('000002020203000R');
    expect(validityOf('2026-12-20T23:30:00Z', { expiry: 'relative' })).toBe('000105000000000R');
  });

  it('is the earlier of what the message and what the channel allows', () => {
    expect(validityOf(undefined)).toBe('');
    expect(validityOf(undefined, { validity_period_s: 3_600 })).toBe('000000010000000R');
    expect(validityOf('2026-11-17T00:00:00Z', { validity_period_s: 3_600 })).toBe('000000010000000R');
    expect(validityOf('2026-11-15T23:40:00Z', { validity_period_s: 3_600 })).toBe('261115234000000+');
  });

  it('is never in the past: what is on its way expires within the second', () => {
    expect(validityOf('2026-11-15T23:00:00Z')).toBe('261115233001000+');
    expect(validityOf('2026-11-15T23:00:00Z', { expiry: 'relative' })).toBe('000000000001000R');
  });

  it('is left out where it is more than months away', () => {
    expect(validityOf('2028-01-01T00:00:00Z')).toBe('');
  });
});
