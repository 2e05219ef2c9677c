using CoAP.NET.Oscore.Tests.Engines;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Engines;

/// <summary>OSCORE over every engine that this machine has.</summary>
public sealed class EngineList : IEngineList
{
    private static readonly string[] s_datagrams = [LinuxUdpEngine.IsSupported ? "UDP Linux" : "UDP portable", "DTLS"];

    private static readonly string[] s_streams = [.. TransportLoops.IsSupported ? ["TCP inline", "TLS inline"] : Array.Empty<string>(),
        "TCP asynchronous", "TLS asynchronous", "WebSocket"];

    /// <summary>One that moves plain datagrams: what is lost on the way is the same on each of them.</summary>
    public static TheoryData<string> Datagrams => [.. s_datagrams];

    public static TheoryData<string> All => [.. s_datagrams.Append("UDP portable").Distinct(), .. s_streams];

    public static TestEngine Make(string name) => new OscoreTestEngine(name switch
    {
        "UDP Linux" => new UdpTestEngine(CoapSocketEngine.LinuxLoop),
        "UDP portable" => new UdpTestEngine(CoapSocketEngine.Portable),
        "DTLS" => new DtlsTestEngine(LinuxUdpEngine.IsSupported ? CoapSocketEngine.LinuxLoop : CoapSocketEngine.Portable),
        "TCP inline" => new TcpTestEngine(CoapSocketEngine.LinuxLoop),
        "TCP asynchronous" => new TcpTestEngine(CoapSocketEngine.Portable),
        "TLS inline" => new TlsTestEngine(CoapSocketEngine.LinuxLoop),
        "TLS asynchronous" => new TlsTestEngine(CoapSocketEngine.Portable),
        "WebSocket" => new WebSocketTestEngine(),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such engine."),
    });
}
