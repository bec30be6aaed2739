// `MsgID`: ten octets, written as 20 hexadecimal digits.

/** Packed decimal: gateway 6 digits, `MMDDHHMM`, sequence 6 digits. Other gateways fill it as they like. */
export function formatMessageId(gateway: string, loginTime: string, sequence: number): string {
  return gateway + loginTime.slice(0, 8) + String(sequence % 1_000_000).padStart(6, '0');
}
