import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.event.Event;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Siddhi with one query from a stream {@code Stock} into a stream {@code Found}; the times of the events are its clock.
 *
 * <p>Arguments: events, seconds, file with the application.
 */
final class SiddhiPeer implements Engine {
    private final SiddhiManager manager = new SiddhiManager();
    private final SiddhiAppRuntime runtime;
    private final InputHandler stock;
    private long matches;

    private SiddhiPeer(String application) {
        runtime = manager.createSiddhiAppRuntime(application);
        runtime.addCallback("Found", new StreamCallback() {
            @Override
            public void receive(Event[] found) {
                matches += found.length;
            }
        });
        stock = runtime.getInputHandler("Stock");
        runtime.start();
    }

    public static void main(String[] arguments) throws Exception {
        String application = Files.readString(Path.of(arguments[2]));
        Measurement.of(arguments[0], arguments[1], () -> new SiddhiPeer(application));
    }

    @Override
    public void send(Stock event) throws Exception {
        long time = event.getTime();
        stock.send(time, new Object[] {
            event.getId(), event.getType(), event.getName(), event.getVolume(), event.getPrice(), time
        });
    }

    @Override
    public long matches() {
        return matches;
    }

    @Override
    public void close() {
        runtime.shutdown();
        manager.shutdown();
    }
}
