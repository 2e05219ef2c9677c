namespace CoAP.NET.Shard;

/// <summary>
/// What the decisions of a shard do after the release of its lock, on the thread that made them. The state machines know no stage; the
/// Handler stage (<c>MessagingAndExchangesStage</c>) names the block that carries out each effect.
/// </summary>
internal interface IShardEffects
{
    /// <summary>Sends a finished message or bytes, in the order of the channel. See <see cref="CoapShard.Post"/>.</summary>
    void Post(in CoapOutbound item);

    /// <summary>Reports the outcome of a sent message to the stage above. See <see cref="CoapShard.Raise"/>.</summary>
    void Raise(in CoapInbound item);

    /// <summary>Sends a message of this endpoint, such as a notification. See <see cref="CoapShard.Send"/>.</summary>
    void Send(CoapTransmission transmission);

    /// <summary>Stops the copies of a message. See <see cref="CoapShard.Cancel"/>.</summary>
    void Cancel(CoapTransmission transmission);

    /// <summary>Serves a request that waited, as if the peer had just sent it.</summary>
    void Serve(CoapExchange exchange);

    /// <summary>Answers a request that waited.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">The answer; null for none.</param>
    void Answer(CoapExchange exchange, CoapResult? result);

    /// <summary>Keeps the bytes of a message with <see cref="CoapOutbound.KeepsBytes"/>. Called where it is encoded.</summary>
    /// <param name="item">The encoded item.</param>
    /// <param name="bytes">The bytes, valid for this call only.</param>
    void KeepBytes(in CoapOutbound item, ReadOnlySpan<byte> bytes);
}
