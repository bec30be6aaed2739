// What the service refuses, by the code of the problem: for a Chinese reader where its own sentence is not known in Chinese.

import type { WordTable } from './word-table.js';

export const problemWords = {
  'problem.malformed_json': ['The body is not valid JSON', '请求体不是有效的 JSON'],
  'problem.invalid_request': ['The request is invalid', '请求无效'],
  'problem.page_too_deep': ['The page is too deep', '页码过深'],
  'problem.missing_credentials': ['Credentials are missing or malformed', '缺少凭证或凭证格式不正确'],
  'problem.timestamp_out_of_range': ['The timestamp is too far from the server clock', '时间戳与服务器时钟相差过大'],
  'problem.invalid_signature': ['The key or the signature is not valid', '密钥或签名无效'],
  'problem.customer_suspended': ['The customer is suspended', '客户已停用'],
  'problem.ip_not_allowed': ['This address is not allowed for the key', '此地址不得使用该凭证'],
  'problem.not_permitted': ['No permission', '当前凭证无权执行此操作'],
  'problem.not_found': ['Not found', '未找到'],
  'problem.method_not_allowed': ['The method is not allowed here', '不支持此方法'],
  'problem.not_acceptable': ['No response of that type is available', '没有该类型的响应'],
  'problem.idempotency_conflict': [
    'The client_request_id was used for a different payload',
    '此 client_request_id 已用于其他内容',
  ],
  'problem.invalid_stage': ['The task is in another stage', '任务处于其他阶段'],
  'problem.insufficient_funds': ['Insufficient funds', '余额不足以支付此任务'],
  'problem.already_exists': ['Already exists', '已存在'],
  'problem.payload_too_large': ['The body is too large', '请求体过大'],
  'problem.unsupported_media_type': [
    'The body must be application/json',
    '请求体必须为 application/json，即 JSON 格式',
  ],
  'problem.template_unavailable': ['The template is not available', '模板不可用'],
  'problem.service_account_unavailable': ['The sender is not available', '发送账号不可用'],
  'problem.firm_unavailable': ['A target carrier is not available', '目标运营商不可用'],
  'problem.rate_limited': ['Too many requests', '请求过于频繁'],
  'problem.unavailable': ['The service is temporarily unavailable', '服务暂不可用'],
} as const satisfies WordTable;
