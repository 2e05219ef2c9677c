namespace CoAP.NET;

/// <summary>The limits of an endpoint, in groups.</summary>
/// <remarks>
/// Everything that can grow has a limit, has a defined behaviour when it is reached, and has a counter. Read-only once an endpoint uses
/// it. Start from <see cref="Default"/>, <see cref="Small"/> or <see cref="Gateway"/>, and change what you need.
/// </remarks>
[HasSettings]
public sealed partial class CoapLimits
{
    /// <summary>New limits with the defaults: 1.7 GiB if a server fills all of them.</summary>
    public static CoapLimits Default => new();

    /// <summary>New limits for a machine or container with 1 GB: some 270 MiB if a server fills all of them.</summary>
    /// <remarks>
    /// It lowers the memory of all groups, to 1,000 requests at a time, 20,000 observers, 5,000 connections and 50,000 outstanding
    /// messages. All other limits are those of <see cref="Default"/>.
    /// </remarks>
    public static CoapLimits Small => new()
    {
        Peers = { NewcomerMemory = 4 << 20 },
        Messages = { MaxOutstanding = 50_000 },
        Requests = { MaxServed = 1000 },
        Blockwise = { RequestMemory = 16 << 20, ResponseMemory = 16 << 20, MaxResponseBodySize = 4 << 20 },
        Observe = { MaxObservers = 20_000 },
        Connections = { MaxCount = 5000, ReceiveMemory = 16 << 20, SendMemory = 32 << 20 },
        Deduplication = { Memory = 32 << 20 },
    };

    /// <summary>New limits for a server whose clients are yours and share few addresses, behind a gateway, proxy or NAT.</summary>
    /// <remarks>
    /// One source (<see cref="CoapQuotaSource"/>) may take everything: all verified peers and connections, and all memory that has a share
    /// per source. Do not use it for a server that strangers reach, because then one of them can fill it. All other limits are those of
    /// <see cref="Default"/>.
    /// </remarks>
    public static CoapLimits Gateway
    {
        get
        {
            CoapLimits limits = new();
            limits.Peers.MaxVerifiedPerSource = limits.Peers.MaxProtectedPerAddress = limits.Peers.MaxCount;
            limits.Observe.MaxObserversPerPeer = limits.Observe.MaxUnverifiedObserversPerSource = limits.Observe.MaxObservers;
            limits.Connections.MaxCountPerSource = limits.Connections.MaxCount;
            limits.Connections.MaxHandshakesPerSource = limits.Connections.MaxHandshakes;
            limits.Blockwise.MaxSourceFraction = limits.Connections.MaxSourceFraction = limits.Deduplication.MaxSourceFraction = 1;
            return limits;
        }
    }

    /// <summary>Remembered peers, newcomers and sources.</summary>
    public CoapPeerStateLimits Peers { get; } = new();

    /// <summary>Single messages, and messages that wait for an acknowledgement.</summary>
    public CoapMessageLimits Messages { get; } = new();

    /// <summary>Requests that are served or sent at a time.</summary>
    public CoapRequestLimits Requests { get; } = new();

    /// <summary>Bodies, in blocks or in one message.</summary>
    public CoapBlockwiseLimits Blockwise { get; } = new();

    /// <summary>Observers and observations.</summary>
    public CoapObserveLimits Observe { get; } = new();

    /// <summary>Connections of reliable transports.</summary>
    public CoapConnectionLimits Connections { get; } = new();

    /// <summary>Memory that recognises duplicates.</summary>
    public CoapDeduplicationLimits Deduplication { get; } = new();

    /// <summary>Responses to unverified addresses.</summary>
    public CoapAmplificationLimits Amplification { get; } = new();
}
