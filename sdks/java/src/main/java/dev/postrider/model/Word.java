package dev.postrider.model;

/** One of the words of the API. A later service may know more than this version: those are kept as they came. */
public interface Word {
    /**
     * The word.
     *
     * @return as it travels
     */
    String word();
}
