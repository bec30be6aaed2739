package dev.postrider;

import java.time.Instant;

/**
 * What a webhook receives.
 *
 * @param id the same when a message comes again, so that it can be recognised
 * @param type such as {@code receipts}
 * @param timestamp when it happened
 * @param data {@code ReceiptItems}, {@code UplinkItems}, {@code Task}, {@code Batch}, {@code LowBalance}, {@code ReviewedTemplate} or
 *     {@code TestMessage}, as the type says; a {@code Map} where this version does not know the type
 */
public record WebhookMessage(String id, String type, Instant timestamp, Object data) {}
