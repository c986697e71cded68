import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.cep.nfa.NFA;
import org.apache.flink.cep.nfa.NFAState;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.nfa.compiler.NFACompiler;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBuffer;
import org.apache.flink.cep.nfa.sharedbuffer.SharedBufferAccessor;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.time.TimerService;

/**
 * Flink CEP without the rest of Flink: its automaton and its shared buffer, driven as Flink's own operator drives them
 * in event time, on this thread. State lies in hash maps, so nothing is serialised, queued or sent over a network.
 *
 * <p>Arguments: events, seconds, query.
 */
final class FlinkPeer implements Engine {
    private static final AfterMatchSkipStrategy ALL = AfterMatchSkipStrategy.noSkip();
    private static final TimerService NO_TIMERS = () -> Long.MIN_VALUE; // conditions do not ask for the time

    private final boolean isPartitioned;
    private final NFA<Stock> automaton;
    private final SharedBuffer<Stock> buffer;
    private final Map<Integer, NFAState> states = new HashMap<>();
    private final Map<Integer, Long> times = new HashMap<>(); // of the last event in each partition
    private Integer partition = 0; // whose state the buffer sees
    private long matches;

    private FlinkPeer(String query) throws Exception {
        Pattern<Stock, ?> pattern = FlinkQueries.pattern(query);
        isPartitioned = FlinkQueries.PARTITIONED.contains(query);
        automaton = NFACompiler.compileFactory(pattern, false).createNFA();
        automaton.open(null, null);
        KeyedStateStore store = (KeyedStateStore) Proxy.newProxyInstance(
                FlinkPeer.class.getClassLoader(), new Class<?>[] {KeyedStateStore.class}, (self, method, arguments) -> {
                    if (method.getName().equals("getMapState")) {
                        return new PartitionedMap<Object, Object>();
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
        buffer = new SharedBuffer<>(
                store, TypeInformation.of(Stock.class).createSerializer(new ExecutionConfig().getSerializerConfig()));
    }

    public static void main(String[] arguments) throws Exception {
        Measurement.of(arguments[0], arguments[1], () -> new FlinkPeer(arguments[2]));
    }

    @Override
    public void send(Stock event) throws Exception {
        partition = isPartitioned ? event.getVolume() : 0;
        NFAState state = states.computeIfAbsent(partition, key -> automaton.createInitialNFAState());
        Long last = times.put(partition, event.getTime());
        if (last == null || last != event.getTime()) {
            try (SharedBufferAccessor<Stock> accessor = buffer.getAccessor()) {
                automaton.advanceTime(accessor, state, event.getTime(), ALL); // drops what is out of the window
            }
        }
        try (SharedBufferAccessor<Stock> accessor = buffer.getAccessor()) {
            matches += automaton.process(accessor, state, event, event.getTime(), ALL, NO_TIMERS).size();
        }
    }

    @Override
    public long matches() {
        return matches;
    }

    @Override
    public void close() throws Exception {
        automaton.close();
        buffer.releaseCacheStatisticsTimer();
    }

    /** State of the shared buffer: a map for each partition. */
    private final class PartitionedMap<K, V> implements MapState<K, V> {
        private final Map<Integer, Map<K, V>> maps = new HashMap<>();

        private Map<K, V> map() {
            return maps.computeIfAbsent(partition, key -> new HashMap<>());
        }

        @Override
        public V get(K key) {
            return map().get(key);
        }

        @Override
        public void put(K key, V value) {
            map().put(key, value);
        }

        @Override
        public void putAll(Map<K, V> entries) {
            map().putAll(entries);
        }

        @Override
        public void remove(K key) {
            map().remove(key);
        }

        @Override
        public boolean contains(K key) {
            return map().containsKey(key);
        }

        @Override
        public Iterable<Map.Entry<K, V>> entries() {
            return map().entrySet();
        }

        @Override
        public Iterable<K> keys() {
            return map().keySet();
        }

        @Override
        public Iterable<V> values() {
            return map().values();
        }

        @Override
        public Iterator<Map.Entry<K, V>> iterator() {
            return map().entrySet().iterator();
        }

        @Override
        public boolean isEmpty() {
            return map().isEmpty();
        }

        @Override
        public void clear() {
            map().clear();
        }
    }
}
