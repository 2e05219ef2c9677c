namespace CoAP.NET.Tests.Engines;

internal sealed class UdpTestEngine(CoapSocketEngine engine) : SocketTestEngine
{
    protected override string Scheme => "coap";

    protected override void ConfigureServer(CoapEndpointOptions options) => options.Transports.UdpEngine = engine;
}
