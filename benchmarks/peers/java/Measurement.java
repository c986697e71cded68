import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs an engine over events in memory and prints a line of JSON: the events that a run took, the matches it found, the
 * number of runs, and the seconds that they took together. Seconds are CPU time of the whole process, which garbage
 * collection and compilation are part of.
 *
 * <p>A first engine warms up. Each run has a new engine, and there are runs until they have taken enough time together.
 * A run that is not through with the events when its limit is reached ends there, and is the only one.
 */
final class Measurement {
    private static final double WARM_UP = 3; // seconds at most
    private static final double ENOUGH = 3; // seconds of all runs
    private static final int FEWEST = 3; // runs
    private static final long LOOK = 10_000_000; // nanoseconds between looks at the CPU clock, which take long
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final List<Stock> events;
    private final Engine.Start engines;
    private int taken; // events of the last run
    private long matches; // of the last run

    private Measurement(List<Stock> events, Engine.Start engines) {
        this.events = events;
        this.engines = engines;
    }

    /** What all drivers do: {@code events} is a CSV file, {@code limit} the seconds a run may take. */
    static void of(String events, String limit, Engine.Start engines) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(events));
        Stock[] parsed = new Stock[lines.size() - 1];
        for (int position = 0; position < parsed.length; position++) {
            parsed[position] = Stock.of(position, lines.get(position + 1));
        }
        try {
            new Measurement(List.of(parsed), engines).measure(Double.parseDouble(limit));
        } catch (OutOfMemoryError error) {
            System.out.println("{\"failure\": \"it ran out of memory\"}");
        }
        System.exit(0); // whatever threads an engine has left behind
    }

    private void measure(double limit) throws Exception {
        run(WARM_UP);
        double seconds = 0;
        int runs = 0;
        do {
            seconds += run(limit);
            runs++;
        } while (taken == events.size() && (seconds < ENOUGH || runs < FEWEST));
        System.out.printf(
                "{\"events\": %d, \"matches\": %d, \"runs\": %d, \"seconds\": %.3f}%n", taken, matches, runs, seconds);
    }

    /** The seconds that a new engine took. */
    private double run(double limit) throws Exception {
        try (Engine engine = engines.start()) {
            System.gc();
            long started = SYSTEM.getProcessCpuTime();
            long end = started + (long) (limit * 1e9);
            long looked = System.nanoTime();
            for (taken = 0; taken < events.size(); taken++) {
                if (System.nanoTime() - looked > LOOK) {
                    if (SYSTEM.getProcessCpuTime() >= end) {
                        break;
                    }
                    looked = System.nanoTime();
                }
                engine.send(events.get(taken));
            }
            matches = engine.matches();
            return (SYSTEM.getProcessCpuTime() - started) / 1e9;
        }
    }
}
