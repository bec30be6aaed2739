<?php

declare(strict_types=1);

namespace Postrider;

/** What all errors of this package are, but those of a wrong argument (InvalidArgumentException). */
class PostriderException extends \RuntimeException
{
}
