// The console in a real browser, with a long history behind it: from a press to the frame that answers it.

import type { Browser } from 'playwright-core';
import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { clickMenu, JOURNEYS, type Journey } from '../console-latency/journeys.js';
import { type Platform, startPlatform } from '../console-latency/platform.js';
import { openTab, type Pressed } from '../console-latency/tab.js';
import { median } from '../figures.js';
import { findBrowserMissing, launchBrowser } from '../lab/browser.js';
import { OPERATOR_TOKEN } from '../lab/service.js';

const TABS = 6;
/** Below, nothing is measured: that each part works is seen from one journey of each role. */
const TRIAL_SCALE = 0.01;

export const consoleLatency: Scenario = {
  name: 'console-latency',
  summary: 'the console with 10 million receipts, from a press to the frame that answers it',
  usualS: 1500,
  async run(bench) {
    bench.title('Presses in the console, from the key or the button to the frame with the answer');
    const missing = findBrowserMissing();
    if (missing !== undefined) return bench.remark(`not measured: ${missing}`);
    const platform = await startPlatform(bench);
    const browser = await launchBrowser().catch(async (error: unknown) => {
      await platform.service.stop();
      throw error;
    });
    try {
      for (const journey of chooseJourneys(bench.scale)) await takeJourney(bench, platform, browser, journey);
    } finally {
      await browser.close();
      await platform.service.stop();
    }
  },
};

function chooseJourneys(scale: number): readonly Journey[] {
  if (scale >= TRIAL_SCALE) return JOURNEYS;
  const longestOf = (role: Journey['role']) =>
    JOURNEYS.filter((journey) => journey.role === role).toSorted((a, b) => b.presses.length - a.presses.length)[0];
  return [longestOf('customer'), longestOf('operator')].filter((journey) => journey !== undefined);
}

/** Taken twice in each of several new tabs: what a tab has never done before takes longer. */
async function takeJourney(bench: Bench, platform: Platform, browser: Browser, journey: Journey): Promise<void> {
  const { role, from, presses } = journey;
  const { service, credential } = platform;
  const session = role === 'customer' ? { customer: credential } : { operator: { token: OPERATOR_TOKEN } };
  const timed = new Map<string, Pressed[]>();
  for (let tabs = 0; tabs < scaleSize(bench, TABS, 1); tabs += 1) {
    const tab = await openTab(browser, { url: `${service.url}/console${from}`, session });
    for (const when of ['the first time', 'again']) {
      for (const press of presses) {
        bench.signal.throwIfAborted();
        bench.progress(`${role}: ${press.label}`);
        const label = `${role}: ${press.label}, ${when}`;
        timed.set(label, [...(timed.get(label) ?? []), await tab.time(press)]);
      }
      await clickMenu(tab.page, from);
    }
    await tab.close();
  }
  for (const [label, pressed] of timed)
    bench.record({ key: `console-latency.${label}`, label, figures: figuresOf(pressed) });
}

function figuresOf(pressed: readonly Pressed[]) {
  const times = pressed.map(({ ms }) => ms);
  return {
    p50_ms: median(times),
    longest_ms: Math.max(...times),
    calls_ms: median(pressed.map(({ callsMs }) => callsMs)),
  };
}
