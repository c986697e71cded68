import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Asks queries in turn, some times each, and prints a line of JSON for each answer: the number of the query, the seconds
 * that it took, of CPU time of the whole process and on the clock, and the numbers in its one row. The first answers
 * warm up.
 */
final class Repetition {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** An engine that answers a query with a row of numbers. */
    interface Answering {
        List<?> ask(String query) throws Exception;
    }

    private Repetition() {}

    static void of(int times, List<String> queries, Answering engine) throws Exception {
        for (int time = 0; time < times; time++) {
            for (int number = 0; number < queries.size(); number++) {
                System.out.println(line(number, queries.get(number), engine));
            }
        }
    }

    private static String line(int number, String query, Answering engine) throws Exception {
        System.gc();
        long cpu = SYSTEM.getProcessCpuTime();
        long clock = System.nanoTime();
        List<?> answer = engine.ask(query);
        return String.format(
                Locale.ROOT,
                "{\"query\": %d, \"cpu\": %.3f, \"clock\": %.3f, \"answer\": [%s]}",
                number,
                (SYSTEM.getProcessCpuTime() - cpu) / 1e9,
                (System.nanoTime() - clock) / 1e9,
                answer.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }

    /** The numbers in a file, eight bytes each, the least first. */
    static double[] numbers(String file) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(file)));
        double[] numbers = new double[bytes.capacity() / Double.BYTES];
        bytes.order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer().get(numbers);
        return numbers;
    }
}
