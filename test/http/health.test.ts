import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { registerHealth } from '../../src/http/health.js';

/** Answered when the test says so. */
function createReportLookup<Answer>() {
  let answer: (value: Answer) => void = () => {};
  const answered = new Promise<Answer>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const ask = (): Promise<Answer> => {
    asked += 1;
    return answered;
  };
  return { ask, answer: (value: Answer) => answer(value), asked: () => asked };
}

test('what is to be known of a ready process is asked for together with whether it is ready', async () => {
  const [ready, about] = [createReportLookup<readonly string[]>(), createReportLookup<object>()];
  const app = Fastify();
  registerHealth(app, { registry: new Registry(), ready: ready.ask, about: about.ask });
  const response = app.inject('/readyz').then((answer) => answer);
  await expect.poll(() => [ready.asked(), about.asked()]).toEqual([1, 1]);
  about.answer({ database: 'cluster' });
  ready.answer([]);
  expect((await response).json()).toEqual({ status: 'ready', database: 'cluster' });
});

test('a process that is not ready says so, whatever becomes of the rest', async () => {
  const app = Fastify();
  const about = async () => {
    throw new Error('nobody is there');
  };
  registerHealth(app, { registry: new Registry(), ready: async () => ['the database does not answer'], about });
  const { statusCode, body } = await app.inject('/readyz');
  expect(statusCode).not.toBe(200);
  expect(body).toContain('the database does not answer');
});
