using System.Net;

namespace CoAP.NET;

/// <summary>What a wire trace holds (<see cref="CoapEndpoint.TraceTo"/>).</summary>
public sealed class CoapTraceOptions
{
    /// <summary>The peer to be traced; with port 0 all ports of the address. Default: null, all peers.</summary>
    public IPEndPoint? Peer { get; set; }

    /// <summary>
    /// Whether payloads are written. Default false: their bytes are zeros, of the same number. Options, such as paths and queries, are
    /// written in any case.
    /// </summary>
    public bool IncludePayload { get; set; }

    /// <summary>
    /// The size of the trace in bytes at which nothing more is written; what comes then counts as dropped. Default 64 MiB; at least 4,096.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 4,096.</exception>
    public long MaxBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 4096);
            field = value;
        }
    }
    = 64 * 1024 * 1024;

    /// <summary>
    /// How many bytes of messages may wait to be written; what does not fit is dropped and counted, as receiving never waits for the trace.
    /// Default 4 MiB; at least 4,096.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 4,096.</exception>
    public int MaxQueuedBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 4096);
            field = value;
        }
    }
    = 4 * 1024 * 1024;
}
