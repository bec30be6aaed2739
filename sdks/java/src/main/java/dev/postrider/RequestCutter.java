package dev.postrider;

import dev.postrider.model.Recipient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Cuts numbers into requests, in order: the same numbers, the same requests and ids. */
final class RequestCutter {
    /** One of the requests. */
    record CutRequest(int index, String batchId, Map<String, Object> fields) {}

    /** Of the 64 characters of an id: room for the dot and the number of a later request. */
    private static final int MAX_NAME_CHARACTERS = 56;

    private final Map<String, Object> shared;
    private final Object common;
    private final Iterator<Recipient> numbers;
    private final int size;
    private String batchId;
    private int index;

    RequestCutter(Map<String, Object> request, Iterator<Recipient> numbers, int size) {
        for (String name : List.of("phones", "recipients", "client_request_id")) {
            if (request.containsKey(name)) throw new IllegalArgumentException(name + " follows from the numbers");
        }
        shared = new LinkedHashMap<>(request);
        common = shared.remove("variable_values");
        batchId = (String) shared.get("batch_id");
        this.numbers = numbers;
        this.size = size;
    }

    /** The next request; null when there are no more numbers. */
    CutRequest next() {
        List<Recipient> chunk = new ArrayList<>();
        while (chunk.size() < size && numbers.hasNext()) chunk.add(numbers.next());
        if (chunk.isEmpty()) return null;
        index++;
        Map<String, Object> content = describe(chunk);
        if (batchId == null) batchId = "made-" + hash(Json.write(List.of(shared.get("template_no"), content)));
        Map<String, Object> fields = new LinkedHashMap<>(shared);
        fields.putAll(content);
        fields.put("batch_id", batchId);
        fields.put("client_request_id", nameRequest());
        return new CutRequest(index, batchId, fields);
    }

    private Map<String, Object> describe(List<Recipient> chunk) {
        Map<String, Object> content = new LinkedHashMap<>();
        if (chunk.stream().anyMatch(one -> one.fields().containsKey("variable_values"))) {
            content.put("recipients", chunk.stream().map(this::mergeVariables).toList());
            return content;
        }
        content.put("phones", chunk.stream().map(one -> one.fields().get("phone")).toList());
        if (common != null) content.put("variable_values", common);
        return content;
    }

    private Map<String, Object> mergeVariables(Recipient number) {
        Map<String, Object> variables = nameVariables(common);
        variables.putAll(nameVariables(number.fields().get("variable_values")));
        Map<String, Object> recipient = new LinkedHashMap<>();
        recipient.put("phone", number.fields().get("phone"));
        recipient.put("variable_values", variables);
        return recipient;
    }

    private static Map<String, Object> nameVariables(Object values) {
        Map<String, Object> named = new LinkedHashMap<>();
        if (values instanceof Map<?, ?> map) map.forEach((name, value) -> named.put(Calls.writeWord(name), value));
        if (values instanceof List<?> list) list.forEach(value -> named.put("p" + (named.size() + 1), value));
        return named;
    }

    /**
     * The first has the name of the batch, also when others follow: an input that has grown past one request then still meets the id
     * under which it was sent before.
     */
    private String nameRequest() {
        if (index == 1) return batchId;
        return (batchId.length() <= MAX_NAME_CHARACTERS ? batchId : hash(batchId)) + "." + index;
    }

    private static String hash(String text) {
        return Signing.hash(text.getBytes(StandardCharsets.UTF_8)).substring(0, 32);
    }
}
