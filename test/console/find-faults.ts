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

/** As the page is. */
export async function findViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`);
}
