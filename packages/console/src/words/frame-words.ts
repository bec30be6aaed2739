// The frame around every page: navigation, signing in, preferences, states of loading.

import type { WordTable } from './word-table.js';

export const frameWords = {
  'app.name': ['Postrider', 'Postrider'],
  'app.skip': ['Skip to content', '跳到正文'],
  'app.menu': ['Menu', '菜单'],
  'app.navigation': ['Pages', '页面'],
  'app.customer': ['Customer', '客户'],
  'app.operator': ['Operator', '运营'],

  'app.reference': ['API reference', 'API 文档'],
  'app.toOperator': ['Go to the operator pages', '进入运营页面'],
  'app.toCustomer': ['Go to the customer pages', '进入客户页面'],

  'nav.tasks': ['Tasks', '任务'],

  'find.label': ['Find a number', '查号码'],
  'find.placeholder': ['Phone number, any spelling', '手机号，任意写法'],

  'preferences.label': ['Preferences', '偏好设置'],
  'preferences.language': ['Language', '语言'],
  'preferences.scheme': ['Appearance', '外观'],
  'preferences.scheme.auto': ['As the system', '跟随系统'],
  'preferences.scheme.light': ['Light', '浅色'],
  'preferences.scheme.dark': ['Dark', '深色'],
  'preferences.zone': ['Times', '时间'],
  'preferences.zone.local': ['My time zone', '本地时区'],
  'preferences.zone.utc': ['UTC', '协调世界时'],

  'session.signIn': ['Sign in', '登录'],
  'session.signOut': ['Sign out', '退出'],
  'session.signedInAs': ['Signed in as {name}', '已登录：{name}'],
  'session.title': ['Sign in to Postrider', '登录 Postrider'],
  'session.then': ['Then you will see the page you asked for.', '登录后将显示您请求的页面。'],
  'session.as': ['Sign in as', '登录身份'],
  'session.apiKey': ['API key', 'API key'],
  'session.apiSecret': ['API secret', 'API secret'],
  'session.token': ['Operator token', '运营令牌'],
  'session.keep': ['Stay signed in until this tab is closed', '关闭此标签页前保持登录'],
  'session.keepHint': [
    'Otherwise a reload asks again. Nothing is stored beyond this tab.',
    '否则刷新后需重新登录。任何内容都不会保存到此标签页之外。',
  ],
  'session.refused': ['The key or the secret is not valid.', 'key 或 secret 无效。'],
  'session.tokenRefused': ['The token is not valid.', '令牌无效。'],
  'session.insecure': [
    'This browser signs requests only over HTTPS or on localhost. Open the console by one of these.',
    '浏览器只能在 HTTPS 或 localhost 下签名请求。请改用其中一种方式打开控制台。',
  ],
  'session.byLink': ['Signing in…', '正在登录…'],
  'session.linkFailed': ['The link did not sign you in: {reason}', '链接未能登录：{reason}'],

  'state.loading': ['Loading', '加载中'],
  'state.empty': ['Nothing here yet', '暂无内容'],
  'state.emptyFiltered': ['Nothing matches these filters', '没有符合条件的内容'],
  'state.clearFilters': ['Clear filters', '清除条件'],
  'state.failed': ['This could not be loaded', '无法加载'],
  'state.retry': ['Try again', '重试'],
  'state.requestId': ['Request {id}', '请求编号 {id}'],
  'state.notFound': ['Not found', '未找到'],
  'state.notFoundHint': [
    'There is nothing at this address, or nothing that you may see.',
    '此地址没有内容，或您无权查看。',
  ],
  'state.forbidden': ['Not permitted', '无权限'],
  'state.forbiddenHint': [
    'These credentials may not see this. Ask whoever gave them to you for a wider scope or role.',
    '当前凭证无权查看。请向发放凭证的人申请更大的权限。',
  ],
  'state.unavailable': ['Not available on this service', '此服务暂不支持'],
  'state.unavailableHint': [
    'The service that answers here is older than this page and does not have the call behind it.',
    '当前服务版本较旧，尚不提供此页面所需的接口。',
  ],
  'state.away': ['The service does not answer. Trying again…', '服务没有响应，正在重试…'],
  'state.awayHint': [
    'What you see is as it was; the page goes on by itself.',
    '当前显示的是之前的数据；恢复后页面会自动更新。',
  ],
  'state.broken': ['This page has failed', '页面出错'],
  'state.numbers': ['{count} {count:number|numbers}', '{count} 个号码'],
  'state.total': ['{count} {count:row|rows}', '共 {count} 条'],
  'state.totalAtLeast': ['more than {count} rows', '超过 {count} 条'],
} as const satisfies WordTable;
