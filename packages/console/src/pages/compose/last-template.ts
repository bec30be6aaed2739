// Which templates were sent last in this browser. Their numbers alone, for whichever customer: those of others are not among the choices.

import type { OwnTemplate } from '@postrider/client';

const STORAGE_KEY = 'postrider.templates';
const MOST_KEPT = 20;

function readKept(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    // Storage is off or holds something else: the person chooses.
    return [];
  }
}

export function keepLastTemplate(templateNo: string): void {
  const others = readKept().filter((one) => one !== templateNo);
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify([templateNo, ...others].slice(0, MOST_KEPT)));
  } catch {
    // As above.
  }
}

/** Empty where none of them was sent from here: any other choice would be a guess at what goes out. */
export function findLastTemplate(templates: readonly OwnTemplate[]): string {
  const known = new Set(templates.map(({ template_no }) => template_no));
  return readKept().find((one) => known.has(one)) ?? '';
}
