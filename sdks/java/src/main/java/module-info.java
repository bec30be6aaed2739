/** The client of the customer API of Postrider. */
module dev.postrider {
    requires transitive java.net.http;

    exports dev.postrider;
    exports dev.postrider.model;
}
