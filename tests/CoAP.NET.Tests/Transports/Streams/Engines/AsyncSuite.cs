using CoAP.NET.Tests.Transports.Tcp.Linux;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>By the platform's asynchronous sockets.</summary>
public sealed class AsyncSuite : MemoryExhaustionSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;
}

/// <summary>By the platform's asynchronous sockets, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class AsyncLeakSuite : LeakSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;
}
