import { expect, test } from 'vitest';
import { showAll } from '../../../src/cli/output/columns.js';
import { createRecordPrinter } from '../../../src/cli/output/records.js';
import { createCapture } from '../capture.js';

test('titles follow from the fields, numbers and amounts stand at the right, and phone numbers at the left', async () => {
  const output = createCapture(false);
  await createRecordPrinter(
    output,
    showAll('customer_no phone firm unit_price counts.total sent_at'),
    'table',
  )([
    {
      customer_no: 'C1',
      phone: '13800138000',
      firm: 'cmcc',
      unit_price: '0.050000',
      counts: { total: 7 },
      sent_at: null,
    },
    { customer_no: 'C22', phone: '138', firm: '10086', unit_price: '12.000000', counts: { total: 10 }, sent_at: null },
  ]);
  expect(output.text).toBe(
    [
      'CUSTOMER  PHONE        CARRIER  UNIT PRICE  NUMBERS  SENT (UTC)\n',
      'C1        13800138000  cmcc       0.050000        7  –\n',
      'C22       138          10086     12.000000       10  –\n',
    ].join(''),
  );
});
