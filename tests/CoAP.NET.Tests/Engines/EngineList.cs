using CoAP.NET.Transports;

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
        "UDP Linux" => new UdpTestEngine(CoapUdpEngine.LinuxLoop),
        "UDP portable" => new UdpTestEngine(CoapUdpEngine.Portable),
        "UDP with two sockets" => new UdpTestEngine(PortableUdpEngine.WithTwoSockets),
        "TCP inline" => new TcpTestEngine(CoapTcpEngine.Inline),
        "TCP asynchronous" => new TcpTestEngine(CoapTcpEngine.Async),
        "TLS inline" => new TlsTestEngine(CoapTcpEngine.Inline),
        "TLS asynchronous" => new TlsTestEngine(CoapTcpEngine.Async),
        "WebSocket" => new WebSocketTestEngine(),
        "WebSocket in a browser" => new BrowserTestEngine(),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such engine."),
    };
}
