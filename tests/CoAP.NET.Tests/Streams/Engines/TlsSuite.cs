using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Streams.Engines;

/// <summary>With TLS over the platform's asynchronous sockets.</summary>
public sealed class TlsSuite : FrameAbuseSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;

    protected override bool UsesTls => true;

    protected override int Many => 100;
}

/// <summary>With TLS, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class TlsLeakSuite : LeakSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;

    protected override bool UsesTls => true;
}
