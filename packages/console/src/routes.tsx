// Every page by its address. Addresses are part of the contract: they are shared and opened anew.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  prefetchBatches,
  prefetchCompose,
  prefetchCustomers,
  prefetchFailures,
  prefetchLedger,
  prefetchNumber,
  prefetchNumberOwners,
  prefetchOperatorList,
  prefetchOperatorTasks,
  prefetchOptOuts,
  prefetchReceipts,
  prefetchReplies,
  prefetchTask,
  prefetchTasks,
  prefetchTemplates,
  readAsCustomer,
  readAsOperator,
} from './api/read-ahead.js';
import { BrokenPage, MissingPage } from './shell/missing-page.js';
import { RequireCustomer, RequireOperator } from './shell/require-session.js';
import { Shell } from './shell/shell.js';

const root = createRootRoute({ component: Shell, notFoundComponent: MissingPage, errorComponent: BrokenPage });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview' });
  },
});

/** Filters travel as plain text, exactly as they stand in the address. */
type Filters = Readonly<Record<string, string>>;

const customer = createRoute({
  getParentRoute: () => root,
  id: 'customer',
  component: RequireCustomer,
  validateSearch: (search: Record<string, unknown>) => search as Filters,
});

const operator = createRoute({
  getParentRoute: () => root,
  id: 'operator',
  component: RequireOperator,
  validateSearch: (search: Record<string, unknown>) => search as Filters,
});

const ofCustomer = { getParentRoute: () => customer };

/** What is shown already keeps itself up to date. */
const readOnArrival = { shouldReload: ({ cause }: { readonly cause: string }) => cause !== 'stay' };

/** The loader of a list of an operator. */
function readsList(name: Parameters<typeof prefetchOperatorList>[0]) {
  const loader = ({ location }: { readonly location: { readonly search: Filters } }) =>
    prefetchOperatorList(name, location.search);
  return { ...readOnArrival, loader };
}

const importOverview = () => import('./pages/overview/overview-page.js');
const importStatement = () => import('./pages/ledger/statement-page.js');
const importSecurity = () => import('./pages/security/security-page.js');
const importPlatform = () => import('./pages/operator/platform/platform-page.js');

/** One for both addresses: who has prepared for the one has the other. */
const numberPage = lazyRouteComponent(() => import('./pages/number/number-page.js'), 'NumberPage');
const operatorNumberPage = lazyRouteComponent(
  () => import('./pages/operator/tasks/operator-number-page.js'),
  'OperatorNumberPage',
);

const customerPages = [
  createRoute({
    ...ofCustomer,
    path: '/overview',
    ...readOnArrival,
    loader: ({ location }) =>
      readAsCustomer(async (client) => (await importOverview()).readOverview(client, location.search)),
    component: lazyRouteComponent(importOverview, 'OverviewPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/search',
    component: lazyRouteComponent(() => import('./pages/search/search-page.js'), 'SearchPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/numbers',
    component: numberPage,
  }),
  createRoute({
    ...ofCustomer,
    path: '/numbers/$phone',
    ...readOnArrival,
    loader: ({ params: { phone } }) => prefetchNumber(phone),
    component: numberPage,
  }),
  createRoute({
    ...ofCustomer,
    path: '/receipts',
    ...readOnArrival,
    loader: ({ location }) => prefetchReceipts(location.search),
    component: lazyRouteComponent(() => import('./pages/receipts-page.js'), 'ReceiptsPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/replies',
    ...readOnArrival,
    loaderDeps: ({ search }) => ({ phone: search.with }),
    loader: ({ location }) => prefetchReplies(location.search),
    component: lazyRouteComponent(() => import('./pages/replies/replies-page.js'), 'RepliesPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/opt-outs',
    ...readOnArrival,
    loader: ({ location }) => prefetchOptOuts(location.search),
    component: lazyRouteComponent(() => import('./pages/opt-outs-page.js'), 'OptOutsPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/templates',
    ...readOnArrival,
    loader: ({ location }) => prefetchTemplates(location.search),
    component: lazyRouteComponent(() => import('./pages/templates-page.js'), 'TemplatesPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/ledger',
    ...readOnArrival,
    loader: ({ location }) => prefetchLedger(location.search),
    component: lazyRouteComponent(() => import('./pages/ledger/ledger-page.js'), 'LedgerPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/statements/$month',
    ...readOnArrival,
    loader: ({ params: { month } }) =>
      readAsCustomer(async (client) => (await importStatement()).readStatement(client, month)),
    component: lazyRouteComponent(importStatement, 'StatementPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/batches',
    ...readOnArrival,
    loader: prefetchBatches,
    component: lazyRouteComponent(() => import('./pages/batches/batches-page.js'), 'BatchesPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/batches/$batchId',
    component: lazyRouteComponent(() => import('./pages/batches/batch-page.js'), 'BatchPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/compose',
    ...readOnArrival,
    loader: prefetchCompose,
    component: lazyRouteComponent(() => import('./pages/compose/compose-page.js'), 'ComposePage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/developers',
    ...readOnArrival,
    loader: prefetchCompose,
    component: lazyRouteComponent(() => import('./pages/developers/developers-page.js'), 'DevelopersPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/tasks',
    ...readOnArrival,
    loader: ({ location }) => prefetchTasks(location.search),
    component: lazyRouteComponent(() => import('./pages/tasks-page.js'), 'TasksPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/tasks/$taskNo',
    ...readOnArrival,
    loaderDeps: ({ search }) => ({ result: search.result }),
    loader: ({ params: { taskNo }, deps: { result } }) => prefetchTask(taskNo, result),
    component: lazyRouteComponent(() => import('./pages/task/task-page.js'), 'TaskPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/users',
    component: lazyRouteComponent(() => import('./pages/users/users-page.js'), 'UsersPage'),
  }),
  createRoute({
    ...ofCustomer,
    path: '/security',
    component: lazyRouteComponent(importSecurity, 'CustomerSecurityPage'),
  }),
];

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  component: lazyRouteComponent(() => import('./pages/sign-in/invitation-page.js'), 'InvitationPage'),
});

const importPasswordReset = () => import('./pages/sign-in/password-reset-page.js');
const passwordResets = [
  createRoute({
    getParentRoute: () => root,
    path: '/password-reset',
    component: lazyRouteComponent(importPasswordReset, 'ForgottenPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password-reset/$token',
    component: lazyRouteComponent(importPasswordReset, 'PasswordResetPage'),
  }),
] as const;

const ofOperator = { getParentRoute: () => operator };

const operatorPages = [
  createRoute({
    ...ofOperator,
    path: '/operator/platform',
    ...readOnArrival,
    loader: () => readAsOperator(async (operator) => (await importPlatform()).readPlatform(operator)),
    component: lazyRouteComponent(importPlatform, 'PlatformPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/customers',
    ...readOnArrival,
    loader: prefetchCustomers,
    component: lazyRouteComponent(() => import('./pages/operator/customers/customers-page.js'), 'CustomersPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/customers/new',
    component: lazyRouteComponent(() => import('./pages/operator/customers/new-customer-page.js'), 'NewCustomerPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/customers/$customerNo',
    component: lazyRouteComponent(() => import('./pages/operator/customers/customer-page.js'), 'CustomerPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/search',
    component: lazyRouteComponent(() => import('./pages/search/operator-search-page.js'), 'OperatorSearchPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/numbers',
    component: operatorNumberPage,
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/numbers/$phone',
    ...readOnArrival,
    loader: ({ params: { phone }, preload }) => (preload ? undefined : prefetchNumberOwners(phone)),
    component: operatorNumberPage,
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/channels',
    ...readsList('channels'),
    component: lazyRouteComponent(() => import('./pages/operator/channels/channels-page.js'), 'ChannelsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/channels/$channelNo',
    component: lazyRouteComponent(() => import('./pages/operator/channels/channel-page.js'), 'ChannelPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/channels/$channelNo/failures',
    ...readOnArrival,
    loader: ({ params: { channelNo }, location }) => prefetchFailures(channelNo, location.search),
    component: lazyRouteComponent(() => import('./pages/operator/platform/failures-page.js'), 'FailuresPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/firms',
    ...readsList('firms'),
    component: lazyRouteComponent(() => import('./pages/operator/firms-page.js'), 'FirmsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/margins',
    component: lazyRouteComponent(() => import('./pages/operator/money/margins-page.js'), 'MarginsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/blocked-words',
    ...readsList('blocked-words'),
    component: lazyRouteComponent(() => import('./pages/operator/blocked-words-page.js'), 'BlockedWordsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/unknown',
    ...readsList('unknown'),
    component: lazyRouteComponent(() => import('./pages/operator/platform/unknown-page.js'), 'UnknownPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/reviews',
    ...readsList('reviews'),
    component: lazyRouteComponent(() => import('./pages/operator/reviews/reviews-page.js'), 'ReviewsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/replies',
    ...readsList('replies'),
    component: lazyRouteComponent(() => import('./pages/operator/tasks/record-list-page.js'), 'UnclaimedPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/reports',
    ...readsList('reports'),
    component: lazyRouteComponent(() => import('./pages/operator/tasks/record-list-page.js'), 'ReportsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/set-aside',
    ...readsList('set-aside'),
    component: lazyRouteComponent(() => import('./pages/operator/platform/set-aside-page.js'), 'SetAsidePage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/held-channels',
    ...readsList('held-channels'),
    component: lazyRouteComponent(() => import('./pages/operator/platform/held-channels-page.js'), 'HeldChannelsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/erasures',
    ...readsList('erasures'),
    component: lazyRouteComponent(() => import('./pages/operator/history/erasures-page.js'), 'ErasuresPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/retention',
    ...readsList('retention'),
    component: lazyRouteComponent(() => import('./pages/operator/history/retention-page.js'), 'RetentionPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/tasks',
    ...readOnArrival,
    loader: ({ location }) => prefetchOperatorTasks(location.search),
    component: lazyRouteComponent(() => import('./pages/operator/tasks/operator-tasks-page.js'), 'OperatorTasksPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/tasks/$taskNo',
    component: lazyRouteComponent(() => import('./pages/operator/tasks/operator-task-page.js'), 'OperatorTaskPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/audit',
    ...readsList('audit'),
    component: lazyRouteComponent(() => import('./pages/operator/audit/audit-page.js'), 'AuditPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/operators',
    ...readsList('operators'),
    component: lazyRouteComponent(() => import('./pages/operator/audit/operators-page.js'), 'OperatorsPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/users',
    ...readsList('users'),
    component: lazyRouteComponent(() => import('./pages/operator/audit/operator-users-page.js'), 'OperatorUsersPage'),
  }),
  createRoute({
    ...ofOperator,
    path: '/operator/security',
    component: lazyRouteComponent(importSecurity, 'OperatorSecurityPage'),
  }),
];

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    invitation,
    ...passwordResets,
    customer.addChildren(customerPages),
    operator.addChildren(operatorPages),
  ]),
  basepath: '/console',
  // A page that fails leaves the frame around it, and with it the way to the others.
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  // Whether something has to be read again is known to the queries.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(
      Object.entries(search).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
      ),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
});
