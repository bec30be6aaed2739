import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createBodyPace } from '../../../src/http/body/body-pace.js';
import { until } from '../../support/until.js';

it('reads one piece of one large body at a time, bodies in rotation', async () => {
  const pace = createBodyPace();
  const read: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const body = new PassThrough();
    body.on('data', () => {
      read.push(name);
      pace.hold(body);
      // The next piece is there at once, and is not read before its turn.
      body.write(name);
      expect(body.isPaused()).toBe(true);
    });
    body.write(name);
  }
  await until('each has been read four times', () => read.length >= 12);
  expect(read.slice(0, 12).join('')).toBe('abcabcabcabc');
});
