using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Engines;

internal sealed class UdpTestEngine(CoapUdpEngine engine) : TestEngine
{
    protected override string Scheme => "coap";

    protected override void ConfigureServer(CoapEndpointOptions options) => options.UdpEngine = engine;
}
