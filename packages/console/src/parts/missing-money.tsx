import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { findFree, findMissing, showAmount } from '../api/money.js';
import { useWords } from '../words/say.js';

/** How much more there would have to be for this price to be frozen. Silent where the balance cannot be seen. */
export function MissingMoney({ price }: { readonly price: string }): ReactElement | null {
  const say = useWords();
  const { data: account } = useAccount();
  const missing = account && findMissing(price, account);
  if (account === undefined || missing === undefined) return null;
  const { currency } = account;
  return (
    <strong>
      {say('money.missing', {
        missing: showAmount(missing, currency),
        price: showAmount(price, currency),
        free: showAmount(findFree(account), currency),
      })}
    </strong>
  );
}
