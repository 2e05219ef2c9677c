using System.Net;
using CoAP.NET.Settings;

namespace CoAP.NET.Tracing;

/// <summary>The options of a wire trace (<see cref="CoapPacketTraceExtensions.TraceTo"/>).</summary>
[HasSettings]
public sealed partial class CoapTraceOptions
{
    /// <summary>The peer to trace; with port 0 all ports of the address.</summary>
    /// <remarks>Default: null, all peers.</remarks>
    public partial IPEndPoint? Peer { get; set; }

    /// <summary>Whether payloads are written.</summary>
    /// <remarks>Default false: zeros of the same length. Options, such as paths and queries, are always written.</remarks>
    public partial bool IncludePayload { get; set; }

    /// <summary>The maximum size of the trace in bytes; later messages count as dropped.</summary>
    [NumberRange(4096, IsBytes = true)]
    public partial long MaxBytes { get; set; } = 64 * 1024 * 1024;

    /// <summary>
    /// The maximum size of queued messages in bytes; further ones are dropped and counted, because receiving never waits for the trace.
    /// </summary>
    [NumberRange(4096, IsBytes = true)]
    public partial int MaxQueuedBytes { get; set; } = 4 * 1024 * 1024;
}
