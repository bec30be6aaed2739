// Preloaded into a node of a fault campaign: its clock is off by SKEW_MS, for everything that reads it.
const skewMs = Number(process.env.SKEW_MS ?? 0);
const TrueDate = Date;

globalThis.Date = class extends TrueDate {
  constructor(...given) {
    super(...(given.length === 0 ? [TrueDate.now() + skewMs] : given));
  }

  static now() {
    return TrueDate.now() + skewMs;
  }
};
