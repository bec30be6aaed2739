// How the generated methods of the client are called, by their names.

export const CUSTOMER_EXAMPLES: Readonly<Record<string, string>> = {
  task: 'const { stage, counts, timeline } = await client.task(taskNo);',
  rescheduleTask: "await client.rescheduleTask(taskNo, '2026-11-15T09:00:00+08:00');",
  batch: "const { counts, amounts, completed_at } = await client.batch('may-campaign');",
  batches: 'for await (const { batch_id, counts } of client.batches()) console.log(batch_id, counts.delivered);',
  tasks: "for await (const task of client.tasks({ stage: 'submit_unknown' })) console.log(task.task_no);",
  number: "const { receipts, uplinks, opted_out_at } = await client.number('13800138000');",
  receipts: `for await (const receipt of client.receipts({ taskNo, result: 'undelivered' })) {
  console.log(receipt.phone, receipt.code, receipt.description);
}
await pipeline(client.receipts({ batchId }).csv(), createWriteStream('receipts.csv'));`,
  uplinks: 'const { items } = await client.uplinks({ startAt: new Date(Date.now() - 3_600_000) }).page();',
  ledgers: 'for await (const entry of client.ledgers({ taskNo })) console.log(entry.type, entry.amount);',
  submits: "const unknown = await client.submits({ status: 'unknown' }).page();",
  unsent: "for await (const { phone } of client.unsent('T1M7E4V2H3J5QX')) console.log(phone);",
  deliveries: "for await (const report of client.deliveries({ phone: '13800139001' })) console.log(report.status);",
  templates: 'for await (const template of client.templates()) console.log(template.template_no, template.variables);',
  template: 'const { status, reason } = await client.template(templateNo);',
  submitTemplate: `const body = 'Your order {p1} is on its way.';
const { template_no, status } = await client.submitTemplate({ name: 'Shipped', body, service_account_no: serviceAccountNo });`,
  updateTemplate: "await client.updateTemplate(templateNo, { body: 'Your order {p1} has been sent.' });",
  serviceAccounts: 'const { items } = await client.serviceAccounts().page();',
  firms: 'for await (const { firm, unit_price } of client.firms()) console.log(firm, unit_price);',
  optOuts: "const { total } = await client.optOuts({ phone: '13800138000' }).page();",
  credentials: 'for await (const { name, last_used_at } of client.credentials()) console.log(name, last_used_at);',
  createCredential:
    "const { api_key, secret } = await client.createCredential({ name: 'Nightly report', scopes: ['read'] });",
  revokeCredential: 'await client.revokeCredential(apiKey);',
  users: "for await (const { email, role } of client.users({ status: 'active' })) console.log(email, role);",
  user: 'const { name, role } = await client.user(userNo);',
  createUser:
    "const { invitation_url } = await client.createUser({ email: 'ann@example.com', name: 'Ann', role: 'sender' });",
  inviteUser: 'const { invitation_url } = await client.inviteUser(userNo);',
  createUserPasswordReset: 'const { password_reset_url } = await client.createUserPasswordReset(userNo);',
  updateUser: "await client.updateUser(userNo, { role: 'viewer' });",
  removeUser: 'await client.removeUser(userNo);',
  createWebhook:
    "const { webhook_no, secret } = await client.createWebhook({ url, events: ['receipts', 'task.finished'] });",
  webhooks: 'for await (const { url, status } of client.webhooks()) console.log(url, status);',
  webhook: 'const { status, progress } = await client.webhook(webhookNo);',
  updateWebhook: "await client.updateWebhook(webhookNo, { status: 'active' });",
  deleteWebhook: 'await client.deleteWebhook(webhookNo);',
  rotateWebhook: 'const { secret } = await client.rotateWebhook(webhookNo);',
  testWebhook: 'const { status, error, latency_ms } = await client.testWebhook(webhookNo);',
  replayWebhook: 'await client.replayWebhook(webhookNo, new Date(Date.now() - 3_600_000));',
  webhookAttempts:
    'for await (const { at, status, error } of client.webhookAttempts(webhookNo)) console.log(at, status, error);',
  resendWebhookAttempt: 'const { status, error } = await client.resendWebhookAttempt(webhookNo, attempt.id);',
  account: 'const { available, currency } = await client.account();',
  statement: "const { opening, entries, closing } = await client.statement('2026-11');",
  balances: "const { items } = await client.balances({ by: 'hour', startAt: '2026-11-14T00:00:00Z' });",
  statistics: "const { items } = await client.statistics({ by: 'firm', startAt: '2026-11-01T00:00:00Z' });",
};

export const OPERATOR_EXAMPLES: Readonly<Record<string, string>> = {
  platform: 'const { channels, to_prepare } = await operator.platform();',
  createFirm: "await operator.createFirm({ firm: 'cmcc', name: 'China Mobile', prefixes: ['86134', '86135'] });",
  updateFirm: "await operator.updateFirm('cmcc', { prefixes: ['86134', '86135', '86136'] });",
  firm: "const { prefixes } = await operator.firm('cmcc');",
  firms: 'for await (const { firm, name } of operator.firms()) console.log(firm, name);',
  createChannel:
    "const { channel_no } = await operator.createChannel({ name: 'sim', kind: 'simulator', firms: ['cmcc'] });",
  updateChannel: 'await operator.updateChannel(channelNo, { parts_per_second: 200 });',
  rotateCallbackToken: 'const { callbacks } = await operator.rotateCallbackToken(channelNo);',
  channel: 'const { health } = await operator.channel(channelNo);',
  channels: 'for await (const { name, health } of operator.channels()) console.log(name, health.state);',
  channelKinds: 'for await (const { kind, fields } of operator.channelKinds()) console.log(kind, fields);',
  testChannel: "await operator.testChannel(channelNo, { phone: '13800138000' });",
  channelTests: 'const [last] = (await operator.channelTests(channelNo).page()).items;',
  channelEvents:
    'for await (const { at, event, detail } of operator.channelEvents(channelNo)) console.log(at, event, detail);',
  channelFailures: `const refused = { event: 'refused', code: 'ESME_RINVDSTADR' } as const;
for await (const { phone, task_no } of operator.channelFailures(channelNo, refused)) console.log(phone, task_no);`,
  createCustomer: "const { customer_no } = await operator.createCustomer({ name: 'Acme', unit_price: '0.05' });",
  updateCustomer: "await operator.updateCustomer(customerNo, { status: 'suspended' });",
  customer: 'const { account } = await operator.customer(customerNo);',
  customers: 'for await (const { customer_no, name } of operator.customers()) console.log(customer_no, name);',
  viewCustomer: `const { token: viewToken } = await operator.viewCustomer(customerNo);
const tasks = await new PostriderClient({ baseUrl, viewToken }).tasks().page();`,
  createCredential:
    "const { api_key, api_secret } = await operator.createCredential(customerNo, { ip_allow: ['203.0.113.0/24'] });",
  revokeCredential: 'await operator.revokeCredential(customerNo, apiKey);',
  credential: 'const { status } = await operator.credential(customerNo, apiKey);',
  credentials: 'for await (const { api_key } of operator.credentials(customerNo)) console.log(api_key);',
  grantChannel: 'await operator.grantChannel(customerNo, channelNo);',
  revokeGrant: 'await operator.revokeGrant(customerNo, channelNo);',
  grants: 'for await (const { channel_no } of operator.grants(customerNo)) console.log(channel_no);',
  createPrice: "await operator.createPrice(customerNo, { firm: 'cmcc', unit_price: '0.045' });",
  updatePrice: "await operator.updatePrice(customerNo, 'cmcc', '0.04');",
  prices: 'for await (const { firm, unit_price } of operator.prices(customerNo)) console.log(firm, unit_price);',
  createCost: "await operator.createCost(channelNo, { firm: 'cmcc', unit_price: '0.03' });",
  costs: 'for await (const { firm, unit_price } of operator.costs(channelNo)) console.log(firm, unit_price);',
  setFiling: "await operator.setFiling(customerNo, serviceAccountNo, { channel_no: channelNo, status: 'filed' });",
  filings:
    'for await (const { channel_no, status } of operator.filings(customerNo, serviceAccountNo)) console.log(channel_no, status);',
  createOnboarding:
    "const { customer, credential } = await operator.createOnboarding({ customer: { name: 'Ann', unit_price: '0.05' }, credential: {} });",
  createErasure:
    "const { erasure_no } = await operator.createErasure({ phone: '13800138000', remark: 'Request 4711' });",
  erasure: 'const { status, counts } = await operator.erasure(erasureNo);',
  erasures: 'for await (const { erasure_no, status } of operator.erasures()) console.log(erasure_no, status);',
  addBlockedWords: "const { blocked_word_no } = await operator.addBlockedWords({ words: ['lottery'] });",
  removeBlockedWords: 'await operator.removeBlockedWords(blockedWordNo);',
  blockedWords: 'for await (const { words } of operator.blockedWords()) console.log(words);',
  blockedContent: 'for await (const { task_no, word } of operator.blockedContent()) console.log(task_no, word);',
  statistics:
    "const { items } = await operator.statistics({ by: 'customer', startAt: new Date('2026-11-01T00:00:00Z') });",
  createServiceAccount:
    "const { service_account_no } = await operator.createServiceAccount(customerNo, { name: 'alerts', sender: '10690001' });",
  updateServiceAccount: "await operator.updateServiceAccount(customerNo, serviceAccountNo, { status: 'disabled' });",
  serviceAccount: 'const { sender } = await operator.serviceAccount(customerNo, serviceAccountNo);',
  serviceAccounts:
    'for await (const { name, sender } of operator.serviceAccounts(customerNo)) console.log(name, sender);',
  createTemplate: `const body = 'Hello {p1}';
const template = await operator.createTemplate(customerNo, { name: 'welcome', body, service_account_no: serviceAccountNo });`,
  previewTemplate:
    "const { text, parts } = await operator.previewTemplate({ body: 'Hello {p1}', variable_values: { p1: 'Ann' } });",
  updateTemplate: "await operator.updateTemplate(customerNo, templateNo, { status: 'disabled' });",
  template: 'const { body, firms } = await operator.template(customerNo, templateNo);',
  templates:
    'for await (const { template_no, name } of operator.templates(customerNo)) console.log(template_no, name);',
  reviews:
    'for await (const { customer_name, example } of operator.reviews()) console.log(customer_name, example.text);',
  reviewTemplate:
    "await operator.reviewTemplate(customerNo, templateNo, { decision: 'rejected', reason: 'Name the sender.', revision: 1 });",
  topUps: 'for await (const { amount, created_at } of operator.topUps(customerNo)) console.log(created_at, amount);',
  adjustments: 'for await (const { amount, remark } of operator.adjustments(customerNo)) console.log(amount, remark);',
  addOptOut: "await operator.addOptOut(customerNo, '+8613800139009');",
  removeOptOut: "await operator.removeOptOut(customerNo, '+8613800139009');",
  optOuts: 'for await (const { phone } of operator.optOuts(customerNo)) console.log(phone);',
  addCapExemption: "await operator.addCapExemption(customerNo, '+8613800139009');",
  removeCapExemption: "await operator.removeCapExemption(customerNo, '+8613800139009');",
  capExemptions: 'for await (const { phone } of operator.capExemptions(customerNo)) console.log(phone);',
  revealTask: 'const { text } = await operator.revealTask(taskNo, { seq: 1 });',
  resolveTask: "await operator.resolveTask(taskNo, { outcome: 'not_accepted', remark: 'carrier ticket 4711' });",
  task: 'const { customer_no, stage } = await operator.task(taskNo);',
  tasks:
    "for await (const { task_no } of operator.tasks({ customerNo, stage: 'submit_unknown' })) console.log(task_no);",
  createOperator: "const { token } = await operator.createOperator({ name: 'Ann', role: 'support' });",
  updateOperator: "await operator.updateOperator(operatorNo, { role: 'viewer' });",
  removeOperator: 'await operator.removeOperator(operatorNo);',
  operator: 'const { name, role } = await operator.operator(operatorNo);',
  operators: "for await (const { name, role } of operator.operators({ status: 'active' })) console.log(name, role);",
  users: "for await (const { email, role } of operator.users({ status: 'active' })) console.log(email, role);",
  user: 'const { name, role } = await operator.user(userNo);',
  createUser:
    "const { invitation_url } = await operator.createUser({ email: 'ann@example.com', name: 'Ann', role: 'support' });",
  inviteUser: 'const { invitation_url } = await operator.inviteUser(userNo);',
  createUserPasswordReset: 'const { password_reset_url } = await operator.createUserPasswordReset(userNo);',
  updateUser: "await operator.updateUser(userNo, { role: 'viewer' });",
  removeUser: 'await operator.removeUser(userNo);',
  customerUsers: 'for await (const { email, role } of operator.customerUsers(customerNo)) console.log(email, role);',
  customerUser: 'const { name, role } = await operator.customerUser(customerNo, userNo);',
  createCustomerUser:
    "const { invitation_url } = await operator.createCustomerUser(customerNo, { email, name: 'Ann', role: 'admin' });",
  inviteCustomerUser: 'const { invitation_url } = await operator.inviteCustomerUser(customerNo, userNo);',
  createCustomerUserPasswordReset:
    'const { password_reset_url } = await operator.createCustomerUserPasswordReset(customerNo, userNo);',
  updateCustomerUser: "await operator.updateCustomerUser(customerNo, userNo, { status: 'disabled' });",
  removeCustomerUser: 'await operator.removeCustomerUser(customerNo, userNo);',
  identity: 'const { name, permissions } = await operator.identity();',
  auditLog: 'const { items } = await operator.auditLog({ subject: customerNo }).page();',
  setAside: 'for await (const { task_no, reason } of operator.setAside()) console.log(task_no, reason);',
  unknownParts: `for await (const { task_no, seq } of operator.unknownParts({ channelNo })) {
  await operator.resolveTask(task_no, { outcome: 'not_accepted', seqs: [seq] });
}`,
  createCustomerWebhook:
    "const { secret } = await operator.createCustomerWebhook(customerNo, { url, events: ['receipts'] });",
  customerWebhooks:
    'for await (const { url, status } of operator.customerWebhooks(customerNo)) console.log(url, status);',
  customerWebhook: 'const { disabled_reason } = await operator.customerWebhook(customerNo, webhookNo);',
  updateCustomerWebhook: "await operator.updateCustomerWebhook(customerNo, webhookNo, { status: 'disabled' });",
  deleteCustomerWebhook: 'await operator.deleteCustomerWebhook(customerNo, webhookNo);',
  rotateCustomerWebhook: 'const { secret } = await operator.rotateCustomerWebhook(customerNo, webhookNo);',
  testCustomerWebhook: 'const { status, error } = await operator.testCustomerWebhook(customerNo, webhookNo);',
  replayCustomerWebhook: "await operator.replayCustomerWebhook(customerNo, webhookNo, '2026-11-14T12:00:00Z');",
  resendCustomerWebhookAttempt:
    'const { status, error } = await operator.resendCustomerWebhookAttempt(customerNo, webhookNo, attempt.id);',
  customerWebhookAttempts:
    'for await (const { at, error } of operator.customerWebhookAttempts(customerNo, webhookNo)) console.log(at, error);',
  numberCustomers:
    "for await (const { name, status, at } of operator.numberCustomers('+49 1511 2345678')) console.log(name, status, at);",
  keptReports: 'const { items } = await operator.keptReports({ channelNo }).page();',
  unclaimedUplinks: 'for await (const { content } of operator.unclaimedUplinks()) console.log(content);',
  recovery: 'const { state, under_way } = await operator.recovery();',
  retention: 'const { kept_days, months, last_run } = await operator.retention();',
  releaseChannels:
    "const { marked_numbers } = await operator.releaseChannels({ unsent: 'unknown', remark: 'Compared with the carrier' });",
};
