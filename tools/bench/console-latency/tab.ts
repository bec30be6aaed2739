// A tab that times presses: from the press of a key or a button to the end of the frame that shows the answer to it.

import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';

export interface Pressed {
  readonly ms: number;
  /** So long of it calls to the service were under way. */
  readonly callsMs: number;
}

/** Something to press, and how to tell in the page that its answer is there. */
export interface Press {
  readonly act: (page: Page) => Promise<void>;
  /** An expression of the browser that has another value once the answer is there, and none on the way to it. */
  readonly answer: string;
}

export interface Tab {
  readonly page: Page;
  time(press: Press): Promise<Pressed>;
  close(): Promise<void>;
}

const VIEWPORT = { width: 1280, height: 900 };
/** How long a user looks at a page: it is rendered by then, and has prefetched what may come next. */
const LOOK_MS = 1_000;

const WATCH = `
  let pressedAt = 0;
  for (const name of ['pointerdown', 'keydown', 'change']) {
    addEventListener(name, ({ timeStamp }) => { pressedAt ||= timeStamp; }, true);
  }
  const isWaiting = () => document.querySelector('main .mantine-Skeleton-root, [aria-busy=true]') !== null;
  const callsBetween = (from, until) => {
    let sum = 0;
    let reached = from;
    for (const { name, requestStart, responseEnd } of performance.getEntriesByType('resource')) {
      if (!/\\/(openapi|operator)\\/v1\\//.test(name)) continue;
      const end = Math.min(until, responseEnd);
      sum += Math.max(0, end - Math.max(reached, requestStart));
      reached = Math.max(reached, end);
    }
    return sum;
  };
  window.timePress = (readAnswer) => new Promise((resolve) => {
    const before = readAnswer();
    pressedAt = 0;
    performance.clearResourceTimings();
    const look = () => {
      if (pressedAt === 0 || isWaiting() || (readAnswer() ?? before) === before) return requestAnimationFrame(look);
      // Behind what is done after this: styles, layout and paint of the frame.
      setTimeout(() => {
        const now = performance.now();
        resolve({ ms: now - pressedAt, callsMs: callsBetween(pressedAt, now) });
      });
    };
    requestAnimationFrame(look);
  });`;

export interface TabOptions {
  readonly url: string;
  /** As the console keeps it. */
  readonly session: unknown;
}

/** Of a browser that has seen nothing of the console before. */
export async function openTab(browser: Browser, { url, session }: TabOptions): Promise<Tab> {
  const context = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB' });
  const page = await context.newPage();
  const kept = JSON.stringify(JSON.stringify(session));
  await page.addInitScript(`{ sessionStorage.setItem('postrider.session', ${kept}); ${WATCH} }`);
  await page.goto(url, { waitUntil: 'networkidle' });
  return {
    page,
    async time({ act, answer }) {
      await delay(LOOK_MS);
      const timed = page.evaluate(`timePress(() => ${answer})`) as Promise<Pressed>;
      await Promise.all([timed, act(page)]);
      return await timed;
    },
    close: () => context.close(),
  };
}
