// Configurations for known providers, checked against their public documentation only. They are complete but for the secrets;
// docs/guides/http-upstreams.md says what each needs.

import type { ConfigObject } from '../../domain/entities/channel.js';

export interface HttpPreset {
  readonly provider: string;
  /** Secrets that the operator gives, by name, and what each is. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly config: ConfigObject;
}

export const HTTP_PRESETS: Readonly<Record<string, HttpPreset>> = {
  twilio: {
    provider: 'Twilio Programmable Messaging',
    secrets: { account_sid: 'Account SID', basic: 'base64 of Account SID, colon, Auth Token' },
    config: {
      url: 'https://api.twilio.com/2010-04-01/Accounts/{secret.account_sid}/Messages.json',
      headers: { authorization: 'Basic {secret.basic}' },
      format: 'form',
      body: { To: '{phone}', From: '{sender}', Body: '{text}' },
      answer: { accepted: { status: [200, 201] }, message_id: '/sid', code: '/code' },
      reports: {
        format: 'form',
        message_id: '/MessageSid',
        phone: '/To',
        status: '/MessageStatus',
        delivered: ['delivered'],
        undelivered: ['undelivered', 'failed', 'canceled'],
        code: '/ErrorCode',
      },
      uplinks: { format: 'form', from: '/From', to: '/To', text: '/Body' },
    },
  },
  vonage: {
    provider: 'Vonage (Nexmo) SMS API',
    secrets: { api_key: 'API key', api_secret: 'API secret' },
    config: {
      url: 'https://rest.nexmo.com/sms/json',
      format: 'form',
      body: {
        api_key: '{secret.api_key}',
        api_secret: '{secret.api_secret}',
        from: '{sender}',
        to: '{phone_digits}',
        text: '{text}',
        type: 'unicode',
        'client-ref': '{reference}',
      },
      // A long text has several ids and one reference: the reference is the id.
      answer: {
        accepted: { status: [200], match: { '/messages/0/status': ['0'] } },
        code: '/messages/0/status',
        throttled: { codes: ['1', '10'] },
        refused: { codes: ['2', '3', '4', '6', '7', '8', '9', '11', '12', '14', '15', '22', '23', '29'] },
      },
      reports: {
        message_id: '/client-ref',
        phone: '/msisdn',
        status: '/status',
        delivered: ['delivered'],
        undelivered: ['expired', 'failed', 'rejected', 'deleted'],
        code: '/err-code',
      },
      uplinks: { from: '/msisdn', to: '/to', text: '/text' },
    },
  },
  telnyx: {
    provider: 'Telnyx Messaging',
    secrets: { api_key: 'API key' },
    config: {
      url: 'https://api.telnyx.com/v2/messages',
      headers: { authorization: 'Bearer {secret.api_key}' },
      body: { from: '{sender}', to: '{phone}', text: '{text}' },
      answer: { message_id: '/data/id', code: '/errors/0/code' },
      reports: {
        message_id: '/data/payload/id',
        phone: '/data/payload/to/0/phone_number',
        status: '/data/payload/to/0/status',
        delivered: ['delivered'],
        undelivered: ['delivery_failed', 'sending_failed'],
        code: '/data/payload/errors/0/code',
      },
      uplinks: {
        from: '/data/payload/from/phone_number',
        to: '/data/payload/to/0/phone_number',
        text: '/data/payload/text',
      },
    },
  },
  plivo: {
    provider: 'Plivo Messaging',
    secrets: { auth_id: 'Auth ID', basic: 'base64 of Auth ID, colon, Auth Token' },
    config: {
      url: 'https://api.plivo.com/v1/Account/{secret.auth_id}/Message/',
      headers: { authorization: 'Basic {secret.basic}' },
      body: { src: '{sender}', dst: '{phone}', text: '{text}' },
      answer: { message_id: '/message_uuid/0' },
      reports: {
        format: 'form',
        message_id: '/MessageUUID',
        phone: '/To',
        status: '/Status',
        delivered: ['delivered'],
        undelivered: ['undelivered', 'failed', 'rejected'],
        code: '/ErrorCode',
      },
      uplinks: { format: 'form', from: '/From', to: '/To', text: '/Text' },
    },
  },
  infobip: {
    provider: 'Infobip SMS',
    secrets: { api_key: 'API key' },
    config: {
      url: 'https://api.infobip.com/sms/3/messages',
      headers: { authorization: 'App {secret.api_key}' },
      body: {
        messages: [{ sender: '{sender}', destinations: [{ to: '{phone_digits}' }], content: { text: '{text}' } }],
      },
      answer: {
        accepted: { status: [200], match: { '/messages/0/status/groupName': ['PENDING', 'OK', 'DELIVERED'] } },
        message_id: '/messages/0/messageId',
        code: '/messages/0/status/groupName',
        refused: { codes: ['REJECTED', 'UNDELIVERABLE', 'EXPIRED'] },
      },
      reports: {
        items: '/results',
        message_id: '/messageId',
        phone: '/to',
        status: '/status/groupName',
        delivered: ['DELIVERED'],
        undelivered: ['UNDELIVERABLE', 'EXPIRED', 'REJECTED'],
        code: '/error/name',
      },
      uplinks: { items: '/results', from: '/from', to: '/to', text: '/text' },
    },
  },
  sinch: {
    provider: 'Sinch SMS',
    secrets: { service_plan_id: 'service plan id', api_token: 'API token' },
    config: {
      url: 'https://eu.sms.api.sinch.com/xms/v1/{secret.service_plan_id}/batches',
      headers: { authorization: 'Bearer {secret.api_token}' },
      body: {
        from: '{sender}',
        to: ['{phone_digits}'],
        body: '{text}',
        delivery_report: 'per_recipient',
        client_reference: '{reference}',
      },
      answer: { accepted: { status: [200, 201] }, message_id: '/id', code: '/code' },
      reports: {
        message_id: '/batch_id',
        phone: '/recipient',
        status: '/status',
        delivered: ['Delivered'],
        undelivered: ['Aborted', 'Cancelled', 'Rejected', 'Deleted', 'Failed', 'Expired'],
        code: '/code',
      },
      uplinks: { from: '/from', to: '/to', text: '/body' },
    },
  },
  'message-centre': {
    provider: 'postrider message-centre http',
    secrets: {},
    config: {
      url: 'http://127.0.0.1:8090/messages',
      body: { to: '{phone}', from: '{sender}', text: '{text}', reference: '{reference}' },
      answer: { message_id: '/id', code: '/code' },
      reports: {
        message_id: '/id',
        phone: '/to',
        status: '/status',
        delivered: ['delivered'],
        undelivered: ['undelivered', 'expired'],
      },
      uplinks: { from: '/from', to: '/to', text: '/text' },
    },
  },
};
