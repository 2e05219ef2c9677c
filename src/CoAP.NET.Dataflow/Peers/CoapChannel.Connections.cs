using CoAP.NET.Messaging;
using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <content>What only peers at the other end of a connection or session have.</content>
public sealed partial class CoapChannel
{
    /// <summary>Why the connection or session has ended; null before that.</summary>
    internal CoapConnectionException? EndReason
    {
        get => _extras?.Hints?.EndReason;
        set => Hints.EndReason = value;
    }

    /// <summary>
    /// What a message to the peer may have, in bytes: on a connection the peer's Max-Message-Size (RFC 8323 section 5.3.1), otherwise that
    /// of <see cref="Parameters"/>.
    /// </summary>
    public int MaxMessageSize => !IsReliable ? Parameters.MaxMessageSize : PeerMaxMessageSize;

    /// <summary>The peer's Max-Message-Size; 1,152 until its CSM says otherwise.</summary>
    internal int PeerMaxMessageSize
    {
        get => Carried is { } carried ? ProtectedParameters.PeerMaxMessageSizeOf(carried)
            : _extras?.Hints?.PeerMaxMessageSize ?? (int)Options.MaxMessageSize.BaseValue;
        set => Hints.PeerMaxMessageSize = value;
    }

    /// <summary>
    /// Whether the peer may be sent Block1 and Block2: always on datagrams, on a connection when its CSM said so (RFC 8323 section 5.3.2).
    /// </summary>
    internal bool TakesBlocks
    {
        get => Carried is { } carried ? carried.Carrier.TakesBlocks
            : IsReliable ? _extras!.Hints is { TakesBlocks: true } : !Transport.IsReliable;
        set => Hints.TakesBlocks = value;
    }

    /// <summary>
    /// Whether SZX 7 may be used in both directions (RFC 8323 section 6): both ends said that they know block-wise transfer, and take more
    /// than 1,152 bytes.
    /// </summary>
    internal bool TakesBert =>
        IsReliable && TakesBlocks && PeerMaxMessageSize > Options.MaxMessageSize.BaseValue
            && Shard.Environment.Limits.MaxStreamMessageSize > Options.MaxMessageSize.BaseValue;

    /// <summary>The longest token that the peer takes, as its CSM said (RFC 8974 section 2.2.1); only on a connection.</summary>
    internal int PeerMaxTokenLength
    {
        get => Carried is { } carried ? carried.Carrier.PeerMaxTokenLength : _extras?.Hints?.PeerMaxTokenLength ?? CoapToken.MaxLength;
        set => Hints.PeerMaxTokenLength = value;
    }

    /// <summary>The requests of the peer that have no answer yet; null on transports of datagrams.</summary>
    internal RequestsUnderWay? Requests
    {
        get => IsReliable ? _extras!.Requests : null;
        set => Extras.Requests = value;
    }

    /// <summary>
    /// The host that a request without Uri-Host means (RFC 8323 section 8.5): what the client called us by Server Name Indication or a Host
    /// header; null for our address.
    /// </summary>
    internal string? DefaultHost => IsReliable && Connection is { IsInitiator: false, ServerName: { } name } ? name : null;

    /// <summary>
    /// The host that our requests mean when they have no Uri-Host (RFC 8323 section 8.5): what we told the peer by Server Name Indication
    /// or a Host header; null for its address.
    /// </summary>
    internal string? ToldHost =>
        IsReliable && Connection is { IsInitiator: true, ServerName: { } name, Transport.TellsServerName: true } ? name : null;

    /// <summary>What is known of the present address of the session; null when it never moved. Set by <see cref="AddressGuard"/>.</summary>
    internal MovedAddress? Moved
    {
        get => _extras?.Hints is { } hints ? Volatile.Read(ref hints.Moved) : null;
        set => Volatile.Write(ref Hints.Moved, value);
    }

    /// <summary>When the session got its present address, in units of 100 ns; the least value when it never moved.</summary>
    internal long MovedAt => Moved?.At ?? long.MinValue;

    /// <summary>Cancelled when the peer moves again while it is asked whether it receives; null when it is not asked.</summary>
    internal ref CancellationTokenSource? Probe => ref Hints.Probe;
}
