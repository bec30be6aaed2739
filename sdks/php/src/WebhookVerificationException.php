<?php

declare(strict_types=1);

namespace Postrider;

/** A call to a webhook is not proven to be from the service: answer it with 400. */
final class WebhookVerificationException extends PostriderException
{
}
