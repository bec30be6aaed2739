import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { findFree, findMissing, showAmount } from '../../format/money.js';
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
  const missing = findMissing(price, account);
  if (missing === undefined) return null;
  const amounts = { missing: show(missing), price: show(price), free: show(findFree(account)) };
  return <strong>{say('money.missing', amounts)}</strong>;
}
