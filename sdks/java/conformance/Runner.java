import dev.postrider.Client;
import dev.postrider.Clock;
import dev.postrider.ConnectionException;
import dev.postrider.FileListing;
import dev.postrider.Listing;
import dev.postrider.ListingFile;
import dev.postrider.ProblemException;
import dev.postrider.RetryPolicy;
import dev.postrider.SendAllOptions;
import dev.postrider.Signing;
import dev.postrider.TestJson;
import dev.postrider.WaitOptions;
import dev.postrider.WaitTimeoutException;
import dev.postrider.WebhookMessage;
import dev.postrider.WebhookVerificationException;
import dev.postrider.Webhooks;
import dev.postrider.model.CredentialRequest;
import dev.postrider.model.ReceiptFilters;
import dev.postrider.model.ReceiptItems;
import dev.postrider.model.ReceiptResult;
import dev.postrider.model.Recipient;
import dev.postrider.model.SendRequest;
import dev.postrider.model.TaskFilters;
import dev.postrider.model.Word;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/** The conformance runner of the Java client: see sdks/README.md. */
public final class Runner {
    private static final List<Double> SLEEPS = new ArrayList<>();
    private static Client client;

    private Runner() {}

    /** Notes what it is asked to sleep, and does not sleep unless it is to. */
    private record RunnerClock(long[] offsetMs, boolean isVirtual) implements Clock {
        @Override
        public Instant now() {
            return Instant.ofEpochMilli(System.currentTimeMillis() + offsetMs[0]);
        }

        @Override
        public synchronized void sleep(Duration duration) throws InterruptedException {
            SLEEPS.add(duration.toNanos() / 1e6);
            if (isVirtual) offsetMs[0] += Math.round(duration.toNanos() / 1e6);
            else Thread.sleep(duration.toMillis());
        }
    }

    /** What came with a call. */
    private record With(Map<?, ?> fields) {
        static With of(Object value) {
            return new With(value instanceof Map<?, ?> map ? map : Map.of());
        }

        boolean has(String name) {
            return fields.get(name) != null;
        }

        Object get(String name) {
            return fields.get(name);
        }

        String text(String name) {
            return (String) get(name);
        }

        long number(String name) {
            return ((Number) get(name)).longValue();
        }

        With with(String name) {
            return of(get(name));
        }

        List<?> list(String name) {
            return (List<?>) get(name);
        }

        List<String> texts(String name) {
            return list(name).stream().map(String.class::cast).toList();
        }

        boolean flag(String name) {
            return (Boolean) get(name);
        }
    }

    public static void main(String[] words) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            With question = With.of(TestJson.read(line));
            SLEEPS.clear();
            Map<String, Object> answer = new LinkedHashMap<>();
            answer.put("id", question.get("id"));
            try {
                answer.put("ok", call(question.text("call"), question.with("with")));
            } catch (RuntimeException error) {
                answer.put("error", describe(error));
            }
            answer.put("sleeps_ms", SLEEPS);
            out.println(TestJson.write(wire(answer)));
        }
    }

    private static Object call(String name, With with) throws IOException {
        return switch (name) {
            case "open" -> open(with);
            case "describe" -> Map.of("text", client.toString() + " " + client.withTimeout(Duration.ZERO));
            case "sign" -> Signing.sign(
                    with.text("secret"),
                    with.text("method"),
                    with.text("target"),
                    with.number("timestamp_ms"),
                    with.text("body").getBytes(StandardCharsets.UTF_8));
            case "verify_webhook" -> verifyWebhook(with);
            case "account" -> client.account();
            case "send" -> client.sendOrReplay(sendRequest(with.with("request")));
            case "preview" -> client.preview(sendRequest(with.with("request")));
            case "find_task" -> client.findTask(with.text("client_request_id"));
            case "task" -> client.task(with.text("task_no"));
            case "wait_for_task" -> {
                Duration timeout = Duration.ofMillis(with.number("timeout_ms"));
                yield client.waitForTask(with.text("task_no"), WaitOptions.within(timeout));
            }
            case "move_task" -> move(with.text("move"), with.text("task_no"));
            case "create_credential" -> client.createCredential(
                    CredentialRequest.builder().name(with.with("body").text("name")).build());
            case "page" -> page(with);
            case "walk" -> Map.of("items", StreamSupport.stream(openList(with).spliterator(), false).toList());
            case "export" -> export(with);
            case "send_all" -> sendAll(with);
            default -> throw new IllegalStateException("no call " + name);
        };
    }

    private static Object open(With with) {
        if (client != null) client.close();
        With clock = with.with("clock");
        long offsetMs = clock.has("offset_ms") ? clock.number("offset_ms") : 0;
        double random = ((Number) with.get("random")).doubleValue();
        Client.Builder builder = Client.builder(with.text("base_url"))
                .credentials(with.text("api_key"), with.text("api_secret"))
                .clock(new RunnerClock(new long[] {offsetMs}, !"real".equals(clock.text("sleep"))))
                .random(() -> random);
        With retry = with.with("retry");
        if (retry.has("attempts")) builder.retry(RetryPolicy.ofAttempts((int) retry.number("attempts")));
        if (with.has("timeout_ms")) builder.timeout(Duration.ofMillis(with.number("timeout_ms")));
        client = builder.build();
        return null;
    }

    private static Object verifyWebhook(With with) {
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        with.with("headers").fields().forEach((name, value) -> headers.put((String) name, (String) value));
        Clock clock = new Clock() {
            @Override
            public Instant now() {
                return Instant.ofEpochMilli(with.number("now_ms"));
            }

            @Override
            public void sleep(Duration duration) {}
        };
        byte[] body = with.text("body").getBytes(StandardCharsets.UTF_8);
        WebhookMessage message = Webhooks.verify(with.text("secret"), headers::get, body, clock);
        ReceiptItems items = (ReceiptItems) message.data();
        return Map.of("id", message.id(), "type", message.type(), "items", items.items().size());
    }

    private static SendRequest sendRequest(With with) {
        SendRequest.Builder builder = SendRequest.builder();
        for (Object name : with.fields().keySet()) {
            switch ((String) name) {
                case "template_no" -> builder.templateNo(with.text("template_no"));
                case "phones" -> builder.phones(with.texts("phones"));
                case "variable_values" -> setVariables(builder, with.get("variable_values"));
                case "client_request_id" -> builder.clientRequestId(with.text("client_request_id"));
                case "batch_id" -> builder.batchId(with.text("batch_id"));
                case "title" -> builder.title(with.text("title"));
                case "auto_prepare" -> builder.autoPrepare(with.flag("auto_prepare"));
                case "auto_freeze" -> builder.autoFreeze(with.flag("auto_freeze"));
                case "auto_submit" -> builder.autoSubmit(with.flag("auto_submit"));
                default -> throw new IllegalStateException("no field " + name);
            }
        }
        return builder.build();
    }

    private static void setVariables(SendRequest.Builder builder, Object values) {
        if (values instanceof List<?> list) builder.variableValues(list);
        else builder.variableValues(named(values));
    }

    private static Map<String, Object> named(Object values) {
        Map<String, Object> named = new LinkedHashMap<>();
        ((Map<?, ?>) values).forEach((name, value) -> named.put((String) name, value));
        return named;
    }

    private static Object move(String move, String taskNo) {
        return switch (move) {
            case "prepare" -> client.prepareTask(taskNo);
            case "freeze" -> client.freezeTask(taskNo);
            case "submit" -> client.submitTask(taskNo);
            case "cancel" -> client.cancelTask(taskNo);
            case "pause" -> client.pauseTask(taskNo);
            case "resume" -> client.resumeTask(taskNo);
            default -> throw new IllegalStateException("no move " + move);
        };
    }

    private static FileListing<?> openList(With with) {
        With filters = with.with("filters");
        FileListing<?> list = switch (with.text("list")) {
            case "tasks" -> {
                TaskFilters.Builder given = TaskFilters.builder().batchId(filters.text("batch_id"));
                if (filters.has("start_at")) given.startAt(time(filters.text("start_at")));
                if (filters.has("end_at")) given.endAt(time(filters.text("end_at")));
                yield client.tasks(given.build());
            }
            case "receipts" -> {
                ReceiptFilters.Builder given =
                        ReceiptFilters.builder().batchId(filters.text("batch_id")).taskNo(filters.text("task_no"));
                if (filters.has("result")) given.result(new ReceiptResult(filters.text("result")));
                yield client.receipts(given.build());
            }
            case "firms" -> client.firms();
            default -> throw new IllegalStateException("no list " + with.text("list"));
        };
        return with.has("page_size") ? list.pageSize((int) with.number("page_size")) : list;
    }

    private static Instant time(String text) {
        return OffsetDateTime.parse(text).toInstant();
    }

    private static Object page(With with) {
        Listing<?> list = openList(with);
        if (with.has("cursor")) return list.pageAfter(with.text("cursor"));
        return with.has("page") ? list.page((int) with.number("page")) : list.page();
    }

    private static Object export(With with) throws IOException {
        FileListing<?> list = openList(with);
        boolean hasHead = !with.has("head") || with.flag("head");
        try (ListingFile file =
                with.text("format").equals("csv") ? list.csv(with.text("cursor"), hasHead) : list.ndjson(with.text("cursor"))) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            file.writeTo(text);
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("text", text.toString(StandardCharsets.UTF_8));
            result.put("rows", file.rows());
            result.put("cursor", file.cursor());
            return result;
        }
    }

    private static Object sendAll(With with) {
        SendAllOptions options = SendAllOptions.DEFAULT;
        if (with.has("numbers_per_task")) options = options.withNumbersPerTask((int) with.number("numbers_per_task"));
        if (with.has("concurrency")) options = options.withConcurrency((int) with.number("concurrency"));
        List<Recipient> numbers = new ArrayList<>();
        for (Object number : with.list("numbers")) {
            if (number instanceof String phone) numbers.add(Recipient.of(phone));
            else {
                With own = With.of(number);
                numbers.add(Recipient.of(own.text("phone")).toBuilder().variableValues(named(own.get("variable_values"))).build());
            }
        }
        return client.sendAll(sendRequest(with.with("request")), numbers, options);
    }

    /** What the client gives as it travels; an amount says that it is a decimal. */
    private static Object wire(Object value) {
        if (value instanceof Optional<?> optional) return optional.map(Runner::wire).orElse(null);
        if (value instanceof Word word) return word.word();
        if (value instanceof Record record) return wireRecord(record);
        if (value instanceof BigDecimal amount) return Map.of("$decimal", amount.toPlainString());
        if (value instanceof Instant time) return time.toString();
        if (value instanceof List<?> list) return list.stream().map(Runner::wire).toList();
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> fields = new LinkedHashMap<>();
            map.forEach((name, one) -> fields.put(name.toString(), wire(one)));
            return fields;
        }
        return value;
    }

    private static Object wireRecord(Record record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            String name = component.getName().equals("messageClass") ? "class" : component.getName();
            try {
                fields.put(name.replaceAll("([A-Z])", "_$1").toLowerCase(), wire(component.getAccessor().invoke(record)));
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }
        return fields;
    }

    private static Object describe(RuntimeException error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("text", text.toString());
        if (error instanceof ProblemException problem) {
            told.put("kind", "problem");
            told.put("status", problem.status());
            told.put("code", problem.code());
            told.put("key", problem.key());
            told.put("params", problem.params());
            told.put("title", problem.title());
            told.put("detail", problem.detail());
            told.put("request_id", problem.requestId());
            told.put("errors", problem.errors());
            told.put("retry_after_ms", problem.retryAfter().map(Duration::toMillis));
            told.put("server_time_ms", problem.serverTime().map(Instant::toEpochMilli));
            told.put("from_service", problem.isFromService());
            told.put("outcome_unknown", problem.isOutcomeUnknown());
        } else if (error instanceof ConnectionException lost) {
            told.put("kind", "connection");
            told.put("reason", lost.reason().name().toLowerCase());
            told.put("client_request_id", lost.clientRequestId());
        } else if (error instanceof WaitTimeoutException wait) {
            told.put("kind", "wait_timeout");
            told.put("task_no", wait.task().map(task -> task.taskNo()));
        } else if (error instanceof WebhookVerificationException) {
            told.put("kind", "webhook");
        } else {
            told.put("kind", error instanceof IllegalArgumentException ? "argument" : "other");
        }
        return told;
    }
}
