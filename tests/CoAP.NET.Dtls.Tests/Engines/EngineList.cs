using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Engines;

/// <summary>coaps over every UDP engine that this machine has.</summary>
public sealed class EngineList : IEngineList
{
    public static TheoryData<string> Datagrams => LinuxUdpEngine.IsSupported ? new("DTLS Linux", "DTLS portable") : new("DTLS portable");

    public static TheoryData<string> All => Datagrams;

    public static TestEngine Make(string name) =>
        new DtlsTestEngine(name == "DTLS Linux" ? CoapSocketEngine.LinuxLoop : CoapSocketEngine.Portable);
}
