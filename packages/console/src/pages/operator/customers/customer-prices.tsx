// The price list of a customer: what applies now, and what is to come.

import { type Customer, MESSAGE_CLASSES, type Price, type PriceRequest } from '@postrider/client';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { trimAmount } from '../../../format/money.js';
import type { Field } from '../../../parts/forms/entity-form.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Amount } from '../../../parts/values/amount.js';
import { Moment } from '../../../parts/values/moment.js';
import { useWords } from '../../../words/say.js';

export function CustomerPrices({
  customer,
  prices,
  firms,
}: {
  readonly customer: Customer;
  readonly prices: readonly Price[];
  readonly firms: readonly { readonly value: string; readonly label: string }[];
}): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const no = customer.customer_no;
  const priceField: Field = {
    name: 'unit_price',
    label: say('customers.unitPrice'),
    hint: customer.currency,
    kind: 'text',
    isRequired: true,
  };
  const fields: readonly Field[] = [
    { name: 'firm', label: say('record.firm'), kind: 'choice', isRequired: true, choices: [...firms] },
    priceField,
    {
      name: 'class',
      label: say('class.title'),
      kind: 'choice',
      choices: [
        { value: '', label: say('prices.everyClass') },
        ...MESSAGE_CLASSES.map((value) => ({ value, label: say(`class.${value}`) })),
      ],
      emptyIs: null,
    },
    { name: 'prefix', label: say('prices.prefix'), hint: say('prices.prefixHint'), kind: 'text', emptyIs: null },
    {
      name: 'valid_from',
      label: say('prices.validFrom'),
      hint: say('prices.validFromHint'),
      kind: 'text',
      emptyIs: null,
    },
  ];
  const change = (price: Price, unitPrice: string) =>
    price.class === null && price.prefix === null
      ? operator.updatePrice(no, price.firm, unitPrice)
      : operator.createPrice(no, { ...pick(price), unit_price: unitPrice, valid_from: new Date().toISOString() });
  return (
    <Card
      title={say('sending.prices')}
      side={
        mayConfigure && (
          <FormDialog
            label={say('sending.price')}
            fields={fields}
            initial={{ firm: firms[0]?.value, class: '' }}
            onSubmit={(body) => operator.createPrice(no, body as unknown as PriceRequest)}
          />
        )
      }
    >
      <PlainTable
        label={say('sending.prices')}
        none={say('sending.noPrices')}
        figures={[say('customers.unitPrice')]}
        rows={prices.map((price) => ({
          [say('record.firm')]: firms.find(({ value }) => value === price.firm)?.label ?? price.firm,
          [say('class.title')]: price.class === null ? say('prices.everyClass') : say(`class.${price.class}`),
          [say('prices.prefix')]: price.prefix ?? '',
          [say('customers.unitPrice')]: <Amount value={price.unit_price} currency={customer.currency} />,
          [say('prices.validFrom')]: <Moment at={price.valid_from} />,
          ' ': mayConfigure && Date.parse(price.valid_from) <= Date.now() && (
            <FormDialog
              label={say('form.change')}
              title={say('form.changeOf', { name: price.firm })}
              submit={say('form.save')}
              isChange
              isCompact
              fields={[priceField]}
              initial={{ unit_price: trimAmount(price.unit_price) }}
              onSubmit={(body) => change(price, String(body.unit_price ?? price.unit_price))}
            />
          ),
        }))}
      />
    </Card>
  );
}

function pick({ firm, class: messageClass, prefix }: Price) {
  return { firm, class: messageClass, prefix };
}
