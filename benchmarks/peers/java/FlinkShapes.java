import static org.apache.flink.table.api.DataTypes.BIGINT;
import static org.apache.flink.table.api.DataTypes.DOUBLE;
import static org.apache.flink.table.api.DataTypes.TIMESTAMP;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Flink in this process: each query is a job in batch mode, one task after the other. Its source makes the rows of a
 * table {@code ticks} from the values in a file: columns {@code k}, {@code t} (seconds) and {@code v}, key after key.
 *
 * <p>Arguments: the file, the number of keys, how often each query is asked, the queries.
 */
public final class FlinkShapes {
    private static final String[] COLUMNS = {"k", "t", "v"};
    private static final Schema SCHEMA = Schema.newBuilder()
            .column("k", BIGINT())
            .column("t", TIMESTAMP(3))
            .column("v", DOUBLE())
            .watermark("t", "t - INTERVAL '1' SECOND")
            .build();

    private static double[] values; // which the source reads, in this process
    private static int count; // of each key

    private FlinkShapes() {}

    public static void main(String[] arguments) throws Exception {
        values = Repetition.numbers(arguments[0]);
        count = values.length / Integer.parseInt(arguments[1]);
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.setParallelism(1);
        flink.setRuntimeMode(RuntimeExecutionMode.BATCH);
        flink.getConfig().enableObjectReuse();
        StreamTableEnvironment tables = StreamTableEnvironment.create(flink);
        tables.createTemporaryView("ticks", tables.fromDataStream(rows(flink), SCHEMA));
        Repetition.of(
                Integer.parseInt(arguments[2]),
                Arrays.asList(arguments).subList(3, arguments.length),
                query -> answer(tables, query));
        System.exit(0); // whatever threads Flink has left behind
    }

    private static DataStream<Row> rows(StreamExecutionEnvironment flink) {
        DataGeneratorSource<Row> source = new DataGeneratorSource<>(
                FlinkShapes::row,
                values.length,
                Types.ROW_NAMED(COLUMNS, Types.LONG, Types.LOCAL_DATE_TIME, Types.DOUBLE));
        return flink.fromSource(source, WatermarkStrategy.noWatermarks(), "ticks");
    }

    private static Row row(long place) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(place % count, 0, ZoneOffset.UTC);
        return Row.of(place / count, time, values[(int) place]);
    }

    /** The one row that comes. */
    private static List<?> answer(StreamTableEnvironment tables, String query) throws Exception {
        try (CloseableIterator<Row> rows = tables.executeSql(query).collect()) {
            Row row = rows.next();
            return IntStream.range(0, row.getArity()).mapToObj(row::getField).toList();
        }
    }
}
