// Type of number and numbering plan, derived from the address: carriers answer a wrong pair with UNDELIV hours later.

export interface Address {
  readonly ton: number;
  readonly npi: number;
  readonly address: string;
}

export interface AddressRules {
  readonly source_address?: string | undefined;
  readonly source_ton?: number | undefined;
  readonly source_npi?: number | undefined;
  readonly destination_ton: number;
  readonly destination_npi: number;
}

const TON = { international: 1, networkSpecific: 3, alphanumeric: 5 } as const;
const NPI = { unknown: 0, isdn: 1 } as const;

const SHORT_CODE_DIGITS = 8;
/** What an address field holds without its terminator. */
const MAX_ADDRESS_LENGTH = 20;

/** The sender as it goes on the wire; undefined when no address field can hold it. */
export function deriveSource(from: string, rules: AddressRules): Address | undefined {
  const sender = rules.source_address ?? from;
  const isNumber = /^\+?\d+$/.test(sender);
  const address = isNumber && sender.startsWith('+') ? sender.slice(1) : sender;
  if (!fitsField(address)) return undefined;
  const derived = !isNumber
    ? { ton: TON.alphanumeric, npi: NPI.unknown }
    : address.length <= SHORT_CODE_DIGITS
      ? { ton: TON.networkSpecific, npi: NPI.unknown }
      : { ton: TON.international, npi: NPI.isdn };
  return { ton: rules.source_ton ?? derived.ton, npi: rules.source_npi ?? derived.npi, address };
}

export function deriveDestination(to: string, rules: AddressRules): Address | undefined {
  if (!fitsField(to) || to === '') return undefined;
  return { ton: rules.destination_ton, npi: rules.destination_npi, address: to };
}

function fitsField(address: string): boolean {
  if (address.length > MAX_ADDRESS_LENGTH) return false;
  for (let index = 0; index < address.length; index += 1) {
    const unit = address.charCodeAt(index);
    if (unit === 0 || unit > 0xff) return false;
  }
  return true;
}

/** A handset's number as the platform writes it, E.164 without the plus sign; undefined when it is no number. */
export function normaliseHandset(address: string): string | undefined {
  const digits = address.replace(/^(?:\+|00)/, '');
  return /^\d{3,}$/.test(digits) ? digits : undefined;
}
