using CoAP.NET.Transports;

namespace CoAP.NET.Channels;

/// <summary>What few of the peers need that only send requests: made when the first of it is needed, so that the others stay small. Who guards what is said at the properties of <see cref="CoapChannel"/>.</summary>
internal sealed class ChannelExtras
{
    public CoapConnection? Connection;
    public object? SignallingState;
    public object? ExchangeState;
    public object? ObservingState;
    public object? ConnectingState;
    public object? Identity;
    public object? Face;
    public byte[]? EchoToReturn;
    public RequestsUnderWay? Requests;
    public DropNote? LastDrop;

    /// <summary>What waits for the one who drains the outbox.</summary>
    public Queue<CoapOutbound>? Outbound;

    /// <summary>See <see cref="CoapChannel.EndReason"/>.</summary>
    public CoapConnectionException? EndReason;

    /// <summary>See <see cref="CoapChannel.Probe"/>.</summary>
    public CancellationTokenSource? Probe;

    /// <summary>Where the peer of a session is since it moved last.</summary>
    public MovedAddress? Moved;

    /// <summary>Which connection or session of the endpoint.</summary>
    public ulong Number;

    public long VerifiedUntil = long.MaxValue;
    public long LongTokensUntil;
    public long KnowsQBlockUntil = long.MinValue;
    public long LacksQBlockUntil = long.MinValue;
    public int LongTokens;
    public int PeerMaxMessageSize = (int)Options.MaxMessageSize.BaseValue;
    public int PeerMaxTokenLength = CoapToken.MaxLength;
    public int AmplificationCredit;
    public int UploadBlockSize;
    public int DownloadBlockSize;
    public bool TakesBlocks;
    public bool IsCountedVerified;
}
