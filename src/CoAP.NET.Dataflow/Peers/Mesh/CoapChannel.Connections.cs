using CoAP.NET.Messaging;
using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <content>The state of peers at the other end of a connection or session.</content>
public sealed partial class CoapChannel
{
    /// <summary>The reason why the connection or session has ended; null before that.</summary>
    internal CoapConnectionException? EndReason
    {
        get => _extras?.Hints?.EndReason;
        set => Hints.EndReason = value;
    }

    /// <summary>The maximum size of a message to the peer, in bytes.</summary>
    /// <remarks>On a connection the peer's Max-Message-Size (RFC 8323 section 5.3.1), else that of <see cref="Parameters"/>.</remarks>
    public int MaxMessageSize => !IsReliable ? Parameters.MaxMessageSize : PeerMaxMessageSize;

    /// <summary>The peer's Max-Message-Size; 1,152 until its CSM says otherwise.</summary>
    internal int PeerMaxMessageSize
    {
        get => Carried is { } carried ? ProtectedParameters.PeerMaxMessageSizeOf(carried)
            : _extras?.Hints?.PeerMaxMessageSize ?? (int)Options.MaxMessageSize.BaseValue;
        set => Hints.PeerMaxMessageSize = value;
    }

    /// <summary>Whether it has refused no block: a CSM that says nothing of blocks is no information (RFC 8323 section 5.3.2).</summary>
    internal bool TakesBlocks => Carried is { } carried ? carried.Carrier.TakesBlocks : _extras?.Hints is not { RefusesBlocks: true };

    /// <summary>Whether its CSM tells of blocks (RFC 8323 section 5.3.2); only on a connection.</summary>
    internal bool TellsOfBlocks
    {
        get => Carried is { } carried ? carried.Carrier.TellsOfBlocks : _extras?.Hints is { TellsOfBlocks: true };
        set => Hints.TellsOfBlocks = value;
    }

    /// <summary>
    /// Whether SZX 7 is allowed in both directions (RFC 8323 section 6): both ends support block-wise transfer and take more than 1,152
    /// bytes.
    /// </summary>
    internal bool TakesBert =>
        IsReliable && TellsOfBlocks && PeerMaxMessageSize > Options.MaxMessageSize.BaseValue
            && Shard.Environment.Limits.MaxStreamMessageSize > Options.MaxMessageSize.BaseValue;

    /// <summary>Records that it refused a block.</summary>
    internal void RefuseBlocks() => (Carried?.Carrier ?? this).Hints.RefusesBlocks = true;

    /// <summary>The longest token that the peer accepts according to its CSM (RFC 8974 section 2.2.1); only on a connection.</summary>
    internal int PeerMaxTokenLength
    {
        get => Carried is { } carried ? carried.Carrier.PeerMaxTokenLength : _extras?.Hints?.PeerMaxTokenLength ?? CoapToken.MaxLength;
        set => Hints.PeerMaxTokenLength = value;
    }

    /// <summary>The peer's requests without an answer yet; null on datagram transports.</summary>
    internal RequestsUnderWay? Requests
    {
        get => IsReliable ? _extras!.Requests : null;
        set => Extras.Requests = value;
    }

    /// <summary>
    /// The host of requests from the peer without Uri-Host (RFC 8323 section 8.5): the name from Server Name Indication or a Host header;
    /// null for the local address.
    /// </summary>
    internal string? DefaultHost => IsReliable && Connection is { IsInitiator: false, ServerName: { } name } ? name : null;

    /// <summary>
    /// The host of requests to the peer without Uri-Host (RFC 8323 section 8.5): the name sent with Server Name Indication or a Host
    /// header; null for its address.
    /// </summary>
    internal string? ToldHost =>
        IsReliable && Connection is { IsInitiator: true, ServerName: { } name, Transport.TellsServerName: true } ? name : null;

    /// <summary>
    /// The state of the session's current address; null when the session never moved. <see cref="AddressGuard"/> sets it.
    /// </summary>
    internal MovedAddress? Moved
    {
        get => _extras?.Hints is { } hints ? Volatile.Read(ref hints.Moved) : null;
        set => Volatile.Write(ref Hints.Moved, value);
    }

    /// <summary>When the session got its current address, in units of 100 ns; the minimum value when it never moved.</summary>
    internal long MovedAt => Moved?.At ?? long.MinValue;

    /// <summary>Cancelled when the peer moves again during the check of its new address; null without a check.</summary>
    internal ref CancellationTokenSource? Probe => ref Hints.Probe;
}
