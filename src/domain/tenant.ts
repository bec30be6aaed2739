import type { CustomerId } from './id.js';

/** The owner of rows. Every tenant statement names the bucket that holds the customer's rows. */
export interface Tenant {
  readonly bucket: number;
  readonly customerId: CustomerId;
}
