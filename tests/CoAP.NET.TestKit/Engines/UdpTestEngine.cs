using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Engines;

internal sealed class UdpTestEngine(CoapUdpEngine engine) : SocketTestEngine
{
    protected override string Scheme => "coap";

    protected override void ConfigureServer(CoapEndpointOptions options) => options.UdpEngine = engine;
}
