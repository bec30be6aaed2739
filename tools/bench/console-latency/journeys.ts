// What people press in the console, one after the other.

import type { Page } from 'playwright-core';
import { FIRST_PHONE } from './history.js';
import type { Press } from './tab.js';

export interface NamedPress extends Press {
  readonly label: string;
}

/** Begins on a page of the menu. */
export interface Journey {
  readonly role: 'customer' | 'operator';
  readonly from: string;
  readonly presses: readonly NamedPress[];
}

/** The shortest time between pointing and pressing, or after the last key of a number. */
const REST_MS = 200;
/** Once everybody is called by their name. */
const HEADING = `[...document.querySelectorAll('tbody a[title^=C]')].some((link) => link.title === link.textContent)
  ? undefined : document.querySelector('h1')?.textContent`;

/** Points at it, waits, and presses. */
async function click(page: Page, selector: string): Promise<void> {
  await page.locator(selector).first().hover();
  await page.waitForTimeout(REST_MS);
  await page.mouse.down();
  await page.mouse.up();
}

export function clickMenu(page: Page, path: string): Promise<void> {
  return click(page, `nav a[href="/console${path}"]`);
}

function find(label: string, phone: number): NamedPress {
  return {
    label,
    act: async (page) => {
      await page.locator('header search input').fill(String(phone));
      await page.waitForTimeout(REST_MS);
      await page.keyboard.press('Enter');
    },
    answer: HEADING,
  };
}

function openPage(path: string): NamedPress {
  const label = path.split('/').find((name) => name !== '' && name !== 'operator') ?? '';
  return { label, act: (page) => clickMenu(page, path), answer: HEADING };
}

function choose(label: string, field: string, value: string): NamedPress {
  return {
    label,
    act: async (page) => void (await page.getByLabel(field, { exact: true }).selectOption({ label: value })),
    answer: `[...document.querySelectorAll('tbody tr')].every((row) => row.textContent.includes('${value}'))`,
  };
}

const openTask: NamedPress = { label: 'open a task', act: (page) => click(page, 'tbody tr a'), answer: HEADING };
const backToTasks: NamedPress = {
  label: 'back to the tasks',
  act: (page) => click(page, 'main p a[href="/console/tasks"]'),
  answer: HEADING,
};
const openConversation: NamedPress = {
  label: 'open a conversation',
  act: (page) => click(page, 'main li a:not([aria-current=true])'),
  answer: "document.querySelector('main h2 .mono')?.textContent",
};

const finds = [find('find a number', FIRST_PHONE + 1), find('find another number', FIRST_PHONE + 2)];
const statement = `/statements/${new Date().toISOString().slice(0, 7)}`;

const OPERATOR_PAGES = [
  'customers',
  'tasks',
  'numbers',
  'channels',
  'firms',
  'unknown',
  'set-aside',
  'replies',
  'reports',
  'audit',
  'operators',
];

export const JOURNEYS: readonly Journey[] = [
  ...[
    finds,
    [openPage('/compose')],
    [openPage('/tasks'), openTask, backToTasks, choose('tasks by stage', 'Stage', 'Cancelled')],
    [openPage('/batches')],
    [openPage('/receipts'), choose('receipts by result', 'Result', 'Expired')],
    [openPage('/numbers')],
    [openPage('/replies'), openConversation],
    [openPage('/opt-outs')],
    [openPage('/ledger'), choose('ledger entries by type', 'Type', 'Charge')],
    [openPage(statement)],
    [openPage('/developers')],
  ].map((presses): Journey => ({ role: 'customer', from: '/overview', presses })),
  { role: 'customer', from: '/opt-outs', presses: [openPage('/overview')] },
  ...[finds, ...OPERATOR_PAGES.map((name) => [openPage(`/operator/${name}`)])].map(
    (presses): Journey => ({ role: 'operator', from: '/operator/platform', presses }),
  ),
  { role: 'operator', from: '/operator/firms', presses: [openPage('/operator/platform')] },
];
