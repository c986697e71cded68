import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;
import com.espertech.esper.runtime.client.EPStatement;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Esper with one statement or many, whose clock the times of the events drive.
 *
 * <p>Arguments: events, seconds, file with the statements, which semicolons separate.
 */
final class EsperPeer implements Engine {
    private static final Configuration CONFIGURATION = configuration();

    private final EPRuntime runtime;
    private final EPEventService service;
    private long matches;

    private EsperPeer(EPCompiled module) throws Exception {
        runtime = EPRuntimeProvider.getRuntime("peer", CONFIGURATION);
        runtime.initialize();
        service = runtime.getEventService();
        service.advanceTime(0);
        for (EPStatement statement : runtime.getDeploymentService().deploy(module).getStatements()) {
            statement.addListener((found, gone, source, itself) -> matches += found.length);
        }
    }

    public static void main(String[] arguments) throws Exception {
        String text = Files.readString(Path.of(arguments[2]));
        EPCompiled module = EPCompilerProvider.getCompiler().compile(text, new CompilerArguments(CONFIGURATION));
        Measurement.of(arguments[0], arguments[1], () -> new EsperPeer(module));
    }

    private static Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.getCommon().addEventType(Stock.class);
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        return configuration;
    }

    @Override
    public void send(Stock event) {
        if (event.getTime() != service.getCurrentTime()) {
            service.advanceTime(event.getTime());
        }
        service.sendEventBean(event, "Stock");
    }

    @Override
    public long matches() {
        return matches;
    }

    @Override
    public void close() {
        runtime.destroy();
    }
}
