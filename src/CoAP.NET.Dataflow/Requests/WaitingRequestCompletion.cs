namespace CoAP.NET.Requests;

/// <summary>The answer to a request that waited, made under the lock of a shard.</summary>
/// <param name="exchange">The request.</param>
/// <param name="result">The answer; null for none.</param>
internal sealed class WaitingRequestCompletion(CoapExchange exchange, CoapResult? result) : IDeferredWork
{
    public CoapExchange Exchange { get; } = exchange;

    public CoapResult? Result { get; } = result;

    void IDeferredWork.OnReleased(CoapShard shard) => shard.Drain.TargetOf<WaitingRequestCompletion>()?.Carry(this);
}
