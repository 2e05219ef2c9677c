using CoAP.NET.Connecting;

namespace CoAP.NET.Peers;

/// <summary>
/// What was found out about the few peers of which there is something to find out; made when the first of it is needed. Who guards what is
/// said at the properties of <see cref="CoapChannel"/>.
/// </summary>
internal sealed class ChannelHints
{
    public byte[]? EchoToReturn;
    public object? Identity;
    public ConnectionTarget? ConnectingState;

    /// <summary>See <see cref="CoapChannel.Carried"/>.</summary>
    public CarriedChannel? Carried;

    /// <summary>See <see cref="CoapChannel.EndReason"/>.</summary>
    public CoapConnectionException? EndReason;

    /// <summary>See <see cref="CoapChannel.Probe"/>.</summary>
    public CancellationTokenSource? Probe;

    /// <summary>Who waits until something of the peer comes; null for nobody.</summary>
    public TaskCompletionSource? Hearing;

    /// <summary>Where the peer of a session is since it moved last.</summary>
    public MovedAddress? Moved;

    public long LongTokensUntil;
    public long KnowsQBlockUntil = long.MinValue;
    public long LacksQBlockUntil = long.MinValue;
    public int LongTokens;
    public int PeerMaxMessageSize = (int)Options.MaxMessageSize.BaseValue;
    public int PeerMaxTokenLength = CoapToken.MaxLength;
    public int UploadBlockSize;
    public int DownloadBlockSize;
    public bool TakesBlocks;
}
