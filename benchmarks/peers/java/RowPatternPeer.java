import static io.trino.testing.TestingSession.testSessionBuilder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trino.Session;
import io.trino.testing.LocalQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import java.io.BufferedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Trino in this process, which evaluates queries one after the other.
 *
 * <p>Arguments: a file with a line {@code {"id": …, "query": …}} for each query, the file for the results, the seconds
 * that a query may take. A result is a line {@code {"id": …, "columns": […], "types": […], "rows": [[…]]}}, where a
 * value is null, true, false, a list or a text as Trino prints it, or {@code {"id": …, "error": …}}.
 */
final class RowPatternPeer {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ExecutorService thread = Executors.newCachedThreadPool();
    private final LocalQueryRunner trino;
    private final long seconds;

    private RowPatternPeer(LocalQueryRunner trino, long seconds) {
        this.trino = trino;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws Exception {
        Session session = testSessionBuilder().setSystemProperty("task_concurrency", "1").build();
        RowPatternPeer peer = new RowPatternPeer(LocalQueryRunner.create(session), Long.parseLong(arguments[2]));
        try (BufferedWriter results = Files.newBufferedWriter(Path.of(arguments[1]))) {
            for (String line : Files.readAllLines(Path.of(arguments[0]))) {
                results.write(JSON.writeValueAsString(peer.answer(JSON.readTree(line))));
                results.newLine();
                results.flush();
            }
        }
        System.exit(0); // whatever threads Trino has left behind
    }

    /** The line for a query. */
    private ObjectNode answer(JsonNode job) throws InterruptedException {
        ObjectNode answer = JSON.createObjectNode();
        answer.set("id", job.get("id"));
        Future<MaterializedResult> running = thread.submit(() -> trino.execute(job.get("query").asText()));
        try {
            write(running.get(seconds, TimeUnit.SECONDS), answer);
        } catch (ExecutionException failure) {
            answer.put("error", String.valueOf(root(failure)));
        } catch (TimeoutException late) {
            running.cancel(true);
            answer.put("error", "it took more than " + seconds + " seconds");
        }
        return answer;
    }

    private static Throwable root(Throwable failure) {
        return failure.getCause() == null ? failure : root(failure.getCause());
    }

    private static void write(MaterializedResult result, ObjectNode answer) {
        answer.set("columns", JSON.valueToTree(result.getColumnNames()));
        answer.set("types", JSON.valueToTree(result.getTypes().stream().map(type -> type.getDisplayName()).toList()));
        answer.set("rows", JSON.valueToTree(result.getMaterializedRows().stream()
                .map(MaterializedRow::getFields)
                .map(RowPatternPeer::shown)
                .toList()));
    }

    private static Object shown(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(RowPatternPeer::shown).toList();
        }
        return value == null || value instanceof Boolean ? value : value.toString();
    }
}
