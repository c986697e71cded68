/** An engine that runs one query. It matches an event before {@link #send} returns. */
interface Engine extends AutoCloseable {
    /** An engine that has seen nothing yet. */
    interface Start {
        Engine start() throws Exception;
    }

    void send(Stock event) throws Exception;

    /** The matches so far. */
    long matches();
}
