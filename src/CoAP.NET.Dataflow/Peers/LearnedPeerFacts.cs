namespace CoAP.NET.Peers;

/// <summary>
/// Learned facts about a peer, created on first use, because most peers have none. The properties of <see cref="CoapChannel"/> state the
/// locking.
/// </summary>
internal sealed class LearnedPeerFacts
{
    public byte[]? EchoToReturn;
    public object? Identity;

    public ProtectedChannelData? Carried;

    public CoapConnectionException? EndReason;

    public CancellationTokenSource? Probe;

    /// <summary>The waiter for the next message of the peer; null for none.</summary>
    public TaskCompletionSource? Hearing;

    /// <summary>The state of the session's address since the last move.</summary>
    public MovedAddressTraffic? Moved;

    public long LongTokensUntil;
    public long KnowsQBlockUntil = long.MinValue;
    public long LacksQBlockUntil = long.MinValue;
    public int LongTokens;
    public int Via;
    public int PeerMaxMessageSize = (int)Options.MaxMessageSizeOption.BaseValue;
    public int PeerMaxTokenLength = CoapToken.MaxLength;
    public int UploadBlockSize;
    public int DownloadBlockSize;
    public bool ReportsBlockSupport;
    public bool RefusesBlocks;
    public bool TakesProxyScheme;
}
