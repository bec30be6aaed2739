/** Written as phone numbers are: digits and what people put between them. */
export function isPhone(wanted: string): boolean {
  return /^\+?[\d\s().-]+$/.test(wanted) && wanted.replaceAll(/\D/g, '').length >= 5;
}

/** The numbers that we give to things begin with a letter that says what it is, and no phone does. */
const GIVEN = /^([TCH])[0-9A-Z]{6,}$/i;

export function letterOf(wanted: string): 'T' | 'C' | 'H' | undefined {
  return GIVEN.exec(wanted)?.[1]?.toUpperCase() as 'T' | 'C' | 'H' | undefined;
}
