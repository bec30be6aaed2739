import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { type FreezeLimits, findFree, findMissing, showAmount } from '../../format/money.js';
import { useWords } from '../../words/say.js';

interface MissingMoneyProps {
  readonly price: string;
  readonly waitsFor: 'funds' | 'limit';
}

/** How much more there, or allowed, would have to be for this price to be frozen. Silent where the account cannot be seen. */
export function MissingMoney({ price, waitsFor }: MissingMoneyProps): ReactElement | null {
  const say = useWords();
  const { data: account } = useAccount();
  if (account === undefined) return null;
  const { currency, daily_limit: limit, frozen_today: used } = account;
  const show = (amount: string) => showAmount(amount, currency);
  if (waitsFor === 'limit') {
    if (limit === null) return null;
    return <strong>{say('money.limit', { price: show(price), used: show(used), limit: show(limit) })}</strong>;
  }
  return <MissingFunds price={price} means={account} currency={currency} />;
}

interface MissingFundsProps {
  readonly price: string;
  readonly means: FreezeLimits;
  readonly currency: string;
}

export function MissingFunds({ price, means, currency }: MissingFundsProps): ReactElement | null {
  const say = useWords();
  const missing = findMissing(price, means);
  if (missing === undefined) return null;
  const show = (amount: string) => showAmount(amount, currency);
  const amounts = { missing: show(missing), price: show(price), free: show(findFree(means)) };
  return <strong>{say('money.missing', amounts)}</strong>;
}
