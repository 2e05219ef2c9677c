namespace CoAP.NET.Shard;

/// <summary>
/// An effect of a decision under the lock of a shard, to carry out after its release: an object continues, or a message is sent or
/// cancelled as if by the Exchanges stage.
/// </summary>
internal readonly struct ShardEffect
{
    private ShardEffect(IDeferredWork? continuation, SendOrCancelMessageEffect message)
    {
        Continuation = continuation;
        Message = message;
    }

    /// <summary>The object that continues; null for a message.</summary>
    public IDeferredWork? Continuation { get; }

    /// <summary>The message; valid without a <see cref="Continuation"/>.</summary>
    public SendOrCancelMessageEffect Message { get; }

    public static ShardEffect Continue(IDeferredWork who) => new(who, default);

    public static ShardEffect Send(CoapTransmission transmission) =>
        new(null, new SendOrCancelMessageEffect(transmission, IsCancelled: false));

    public static ShardEffect Cancel(CoapTransmission transmission) =>
        new(null, new SendOrCancelMessageEffect(transmission, IsCancelled: true));
}
