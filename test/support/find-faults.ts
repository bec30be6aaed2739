// What is wrong with a page for those who see or reach it differently, and what does not fit on it.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** At the width and in the colours of a desk and of a phone. */
export async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    faults.push(...(await findViolations(page)).map((violation) => `${width} ${violation}`));
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (scrollWidth > width) faults.push(`${width}: the page is ${scrollWidth} wide`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return faults;
}

/** By these rules, or by all, on the page as it stands. Pages have no frames: axe need not join results in a blank page, which costs as much again. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}
