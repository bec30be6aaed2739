// How the methods of the client differ from the operations they call. The rest follows from the table of operations.

/** Operations whose methods are written by hand, since they do more than call. */
export const HAND_WRITTEN: ReadonlySet<string> = new Set([
  'sendMessages',
  'previewMessages',
  ...['prepare', 'freeze', 'submit', 'cancel', 'pause', 'resume'].flatMap((move) => [
    `${move}Task`,
    `${move}Batch`,
    `${move}OperatorTask`,
  ]),
  'getPlatformHistory',
  'explainRoute',
  'createTopup',
  'createAdjustment',
]);

/** Methods that are not called as `methodOf` would call them. */
const METHOD_NAMES: Readonly<Record<string, string>> = {
  listUsableFirms: 'firms',
  deleteOwnUser: 'removeUser',
  createGrant: 'grantChannel',
  listTopups: 'topUps',
  createOptOut: 'addOptOut',
  deleteOptOut: 'removeOptOut',
  createCapExemption: 'addCapExemption',
  deleteCapExemption: 'removeCapExemption',
  listUnknown: 'unknownParts',
  listAudit: 'auditLog',
  deleteUser: 'removeUser',
  deleteCustomerUser: 'removeCustomerUser',
};

/** `getTask` is `task`, `listFirms` is `firms`, `changeWebhook` is `updateWebhook`. Names of one API need not say which. */
export function methodOf(operation: string): string {
  const known = METHOD_NAMES[operation];
  if (known !== undefined) return known;
  const [, verb = '', noun = ''] = /^([a-z]+)(\w*)$/.exec(operation) ?? [];
  const own = noun.replace(/^(Own|Operator)(?=[A-Z])/, '');
  if (verb === 'get' || verb === 'list') return own.charAt(0).toLowerCase() + own.slice(1);
  return (verb === 'change' ? 'update' : verb) + own;
}

/** Bodies of one field, given as an argument. */
export const FIELD_ARGUMENTS: Readonly<Record<string, string>> = {
  rescheduleTask: 'string',
  replayWebhook: 'Date | string | number',
  createGrant: 'string',
  changePrice: 'Decimal',
  createOptOut: 'string',
  createCapExemption: 'string',
  replayCustomerWebhook: 'Date | string | number',
};

/** Types of bodies that are those of another operation. */
export const SHARED_BODIES: Readonly<Record<string, string>> = {
  createCredential: 'CredentialRequest',
  createCustomerUser: 'CustomerUserRequest',
  changeCustomerUser: 'CustomerUserChange',
  createCustomerWebhook: 'WebhookRequest',
  changeWebhook: 'Partial<WebhookRequest>',
  changeCustomerWebhook: 'Partial<WebhookRequest>',
  changeFirm: 'Partial<FirmRequest>',
  changeChannel: 'Partial<ChannelRequest>',
  changeCustomer: 'Partial<CustomerRequest>',
  changeServiceAccount: 'Partial<ServiceAccountRequest>',
  changeTemplate: 'Partial<TemplateRequest>',
  changeOwnTemplate: "Partial<Pick<SubmittedTemplate, 'name' | 'body'>>",
  changeOperator: 'Partial<OperatorRequest>',
};

/** Writes that are harmless when repeated, beside changes and removals. */
export const REPEATABLE: ReadonlySet<string> = new Set([
  'submitTemplate',
  'replayWebhook',
  'setFiling',
  'previewTemplate',
  'reviewTemplate',
  'replayCustomerWebhook',
  'resolveOperatorTask',
  'revealOperatorTask',
  'releaseChannels',
]);

/** Removals that are not: the second is answered 404. */
export const ONCE: ReadonlySet<string> = new Set(['deleteOwnUser', 'deleteWebhook']);

/** Types of filters. Lists without a name here have no filters. */
export const FILTER_TYPES: Readonly<Record<string, string>> = {
  listTasks: 'TaskFilters',
  listBatches: 'BatchFilters',
  listReceipts: 'ReceiptFilters',
  listUplinks: 'UplinkFilters',
  listLedgers: 'LedgerFilters',
  listSubmits: 'SubmitFilters',
  listDeliveries: 'DeliveryFilters',
  getBalances: 'BalanceFilters',
  getStatistics: 'StatisticsFilters',
  listOwnTemplates: 'OwnTemplateFilters',
  listOwnOptOuts: 'OptOutFilters',
  listOwnUsers: 'UserFilters',
  listChannels: 'ChannelFilters',
  listChannelFailures: 'ChannelFailureFilters',
  listCustomers: 'CustomerFilters',
  getOperatorStatistics: 'OperatorStatisticsFilters',
  listTemplates: 'TemplateFilters',
  listReviews: 'ReviewFilters',
  listOptOuts: 'CustomerOptOutFilters',
  listCapExemptions: 'CustomerOptOutFilters',
  listOperatorTasks: 'OperatorTaskFilters',
  listUnknown: 'UnknownFilters',
  listKeptReports: 'KeptReportFilters',
  listAudit: 'AuditFilters',
  listOperators: 'OperatorFilters',
  listUsers: 'UserFilters',
  listCustomerUsers: 'UserFilters',
};
