import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

import org.eclipse.californium.core.CoapResource;
import org.eclipse.californium.core.CoapServer;
import org.eclipse.californium.core.coap.CoAP.ResponseCode;
import org.eclipse.californium.core.coap.CoAP.Type;
import org.eclipse.californium.core.config.CoapConfig;
import org.eclipse.californium.core.network.CoapEndpoint;
import org.eclipse.californium.core.server.resources.CoapExchange;
import org.eclipse.californium.elements.config.Configuration;
import org.eclipse.californium.elements.config.UdpConfig;

/**
 * The resources of the rows of CoAP.NET.Speed, served by Californium over UDP:
 * <code>java -cp JARS CaliforniumServer.java [DEDUPLICATOR]</code>. It has the settings that Californium comes with, except for the
 * deduplicator if one is named, and ends with its input.
 */
public final class CaliforniumServer {

	private static volatile byte[] state = new byte[0];

	public static void main(String[] args) throws Exception {
		CoapConfig.register();
		UdpConfig.register();
		Configuration configuration = new Configuration();
		if (args.length > 0) {
			configuration.set(CoapConfig.DEDUPLICATOR, args[0]);
		}
		CoapEndpoint endpoint = CoapEndpoint.builder().setConfiguration(configuration)
				.setInetSocketAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).build();
		CoapServer server = new CoapServer(configuration);
		server.addEndpoint(endpoint);
		server.add(new Hello(), new State());
		server.start();
		System.out.println("listening on coap://127.0.0.1:" + endpoint.getAddress().getPort());
		while (System.in.read() >= 0) {
			TimeUnit.MILLISECONDS.sleep(1);
		}
		server.destroy();
	}

	private static final class Hello extends CoapResource {

		Hello() {
			super("hello");
		}

		@Override
		public void handleGET(CoapExchange exchange) {
			exchange.respond(ResponseCode.CONTENT, "hello world!");
		}
	}

	private static final class State extends CoapResource {

		State() {
			super("state");
			setObservable(true);
			setObserveType(Type.CON);
		}

		@Override
		public void handleGET(CoapExchange exchange) {
			exchange.respond(ResponseCode.CONTENT, state);
		}

		@Override
		public void handlePUT(CoapExchange exchange) {
			state = exchange.getRequestPayload();
			exchange.respond(ResponseCode.CHANGED);
			changed();
		}
	}
}
