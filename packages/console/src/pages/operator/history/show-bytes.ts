const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `12.5 MiB`: one decimal below a hundred, none above. */
export function showBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${UNITS[power]}`;
}
