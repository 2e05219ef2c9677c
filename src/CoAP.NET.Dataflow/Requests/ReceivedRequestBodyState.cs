using System.IO.Pipelines;

namespace CoAP.NET.Requests;

/// <summary>
/// The state of a received request that came with Block1 (RFC 7959), or whose body is read through a pipe; plain ones have none.
/// </summary>
internal sealed class ReceivedRequestBodyState
{
    /// <summary>The block that is answered; goes back in the response.</summary>
    public BlockValue? Block1 { get; init; }

    /// <summary>Whether only a part of the body came, so that no handler may run: the exchange goes up to be refused.</summary>
    public bool IsIncomplete { get; init; }

    /// <summary>Whether limits were asked about its first block, so that they are not asked again.</summary>
    public bool IsAdmitted { get; init; }

    /// <summary>The transfer of the body, a timer of its shard; informed when the response exists.</summary>
    public WheelTimer? Transfer { get; init; }

    /// <summary>The source of the requested block, without the handler; null for requests to a handler.</summary>
    public ServedResponseBody? Later { get; init; }

    /// <summary>Whether the body arrives while the handler reads it.</summary>
    public bool IsStreamed { get; init; }

    public PipeReader? Reader { get; set; }
}
