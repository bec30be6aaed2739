package dev.postrider;

/** The JSON of the SDK, for the runner alone. */
public final class TestJson {
    private TestJson() {}

    public static Object read(String text) {
        return Json.read(text);
    }

    public static String write(Object value) {
        return Json.write(value);
    }
}
