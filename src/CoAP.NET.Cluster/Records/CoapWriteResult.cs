using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Records;

/// <summary>The outcomes of the changes of one batch.</summary>
internal sealed class CoapWriteResult
{
    private readonly CoapWriteOutcome[] _outcomes;

    /// <summary>Creates a result.</summary>
    /// <param name="outcomes">The outcome of each change, in the order of the batch.</param>
    public CoapWriteResult(ReadOnlySpan<CoapWriteOutcome> outcomes)
    {
        _outcomes = outcomes.ToArray();
        FencedCount = outcomes.Count(CoapWriteOutcome.Fenced);
    }

    public int Count => _outcomes.Length;

    /// <summary>The number of changes rejected by their fence.</summary>
    public int FencedCount { get; }

    public CoapWriteOutcome this[int index] => _outcomes[index];

    /// <summary>Computes the outcomes from the newest fences at the moment of the write; for engines.</summary>
    /// <param name="batch">The changes.</param>
    /// <param name="newest">The newest fence of each of the 256 slots. Fences of slots that the batch does not name are ignored.</param>
    /// <returns>The result.</returns>
    public static CoapWriteResult ByFences(ReadOnlySpan<CoapRecordWrite> batch, ReadOnlySpan<CoapFencingToken> newest)
    {
        CoapWriteOutcome[] outcomes = new CoapWriteOutcome[batch.Length];
        for (int i = 0; i < batch.Length; i++)
        {
            outcomes[i] = batch[i].Fence.IsSet && batch[i].Fence == newest[batch[i].Key.Slot.Number]
                ? CoapWriteOutcome.Written
                : CoapWriteOutcome.Fenced;
        }

        return new CoapWriteResult(outcomes);
    }
}
