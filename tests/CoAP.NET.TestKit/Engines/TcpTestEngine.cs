namespace CoAP.NET.Tests.Engines;

internal sealed class TcpTestEngine(CoapSocketEngine engine) : SocketTestEngine
{
    protected override string Scheme => "coap+tcp";

    protected override void ConfigureServer(CoapEndpointOptions options) => options.Transports.TcpEngine = engine;
}
