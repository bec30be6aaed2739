/** The sections of the menu, in their order. */
export const SECTIONS = ['Start', 'Guides', 'Customer API', 'Operator API', 'Reference', 'Project'] as const;
export type Section = (typeof SECTIONS)[number];
