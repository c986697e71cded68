import static io.trino.testing.TestingSession.testSessionBuilder;

import io.trino.Session;
import io.trino.metadata.InternalFunctionBundle;
import io.trino.plugin.memory.MemoryConnectorFactory;
import io.trino.spi.function.ScalarFunction;
import io.trino.spi.function.SqlType;
import io.trino.testing.LocalQueryRunner;
import java.util.Arrays;
import java.util.Map;

/**
 * Trino in this process, on one thread, with a table {@code ticks} in memory that has values in the order of a file:
 * columns {@code k}, {@code t} (seconds) and {@code v}, key after key.
 *
 * <p>Arguments: the file, the number of keys, how often each query is asked, the queries. A query may read 256 MB.
 */
public final class TrinoShapes {
    private static final String TABLE = """
            CREATE TABLE ticks AS
            SELECT k, CAST(TIMESTAMP '1970-01-01 00:00:00' + t * INTERVAL '1' SECOND AS TIMESTAMP(6)) AS t,
                value_at(k * %2$d + t) AS v
            FROM UNNEST(sequence(0, %1$d - 1)) AS keys (k) CROSS JOIN UNNEST(sequence(0, %2$d - 1)) AS times (t)""";
    private static final Map<String, String> MEMORY =
            Map.of("memory.max-data-per-node", "1GB", "memory.splits-per-node", "1"); // one, so that rows stay in order

    private static double[] values;

    private TrinoShapes() {}

    public static void main(String[] arguments) throws Exception {
        values = Repetition.numbers(arguments[0]);
        int keys = Integer.parseInt(arguments[1]);
        LocalQueryRunner trino = start();
        trino.execute(String.format(TABLE, keys, values.length / keys));
        Repetition.of(
                Integer.parseInt(arguments[2]),
                Arrays.asList(arguments).subList(3, arguments.length),
                query -> trino.execute(query).getMaterializedRows().get(0).getFields());
        System.exit(0); // whatever threads Trino has left behind
    }

    private static LocalQueryRunner start() {
        Session session = testSessionBuilder()
                .setCatalog("memory")
                .setSchema("default")
                .setSystemProperty("task_concurrency", "1")
                .build();
        LocalQueryRunner trino = LocalQueryRunner.create(session);
        trino.createCatalog("memory", new MemoryConnectorFactory(), MEMORY);
        trino.addFunctions(InternalFunctionBundle.builder().scalars(TrinoShapes.class).build());
        return trino;
    }

    /** A function of SQL: the value at a place in the file. */
    @ScalarFunction("value_at")
    @SqlType("double")
    public static double valueAt(@SqlType("bigint") long place) {
        return values[(int) place];
    }
}
