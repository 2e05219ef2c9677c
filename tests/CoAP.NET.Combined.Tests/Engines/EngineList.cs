using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Engines;

/// <summary>Every engine that this machine has, but for those of coaps, which are in the tests of that package.</summary>
public sealed class EngineList : IEngineList
{
    private static readonly string[] s_datagrams =
        [.. LinuxUdpEngine.IsSupported ? ["UDP Linux"] : Array.Empty<string>(), "UDP portable", "UDP with two sockets"];
    private static readonly string[] s_streams = [.. TransportLoops.IsSupported ? ["TCP inline", "TLS inline"] : Array.Empty<string>(),
        "TCP asynchronous", "TLS asynchronous", "WebSocket", "WebSocket in a browser"];

    public static TheoryData<string> Datagrams => [.. s_datagrams];

    public static TheoryData<string> Streams => [.. s_streams];

    public static TheoryData<string> All => [.. s_datagrams, .. s_streams];

    public static TestEngine Make(string name) => name switch
    {
        "UDP Linux" => new UdpTestEngine(CoapSocketEngine.LinuxLoop),
        "UDP portable" => new UdpTestEngine(CoapSocketEngine.Portable),
        "UDP with two sockets" => new UdpTestEngine(PortableUdpEngine.WithTwoSockets),
        "TCP inline" => new TcpTestEngine(CoapSocketEngine.LinuxLoop),
        "TCP asynchronous" => new TcpTestEngine(CoapSocketEngine.Portable),
        "TLS inline" => new TlsTestEngine(CoapSocketEngine.LinuxLoop),
        "TLS asynchronous" => new TlsTestEngine(CoapSocketEngine.Portable),
        "WebSocket" => new WebSocketTestEngine(),
        "WebSocket in a browser" => new BrowserTestEngine(),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such engine."),
    };
}
