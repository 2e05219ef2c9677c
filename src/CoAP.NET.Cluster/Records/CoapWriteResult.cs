namespace CoAP.NET.Cluster;

/// <summary>What became of each change of a batch.</summary>
public sealed class CoapWriteResult
{
    private readonly CoapWriteOutcome[] _outcomes;

    /// <summary>Makes one.</summary>
    /// <param name="outcomes">The outcome of each change, in the order of the batch.</param>
    public CoapWriteResult(ReadOnlySpan<CoapWriteOutcome> outcomes)
    {
        _outcomes = outcomes.ToArray();
        FencedCount = outcomes.Count(CoapWriteOutcome.Fenced);
    }

    /// <summary>How many changes there were.</summary>
    public int Count => _outcomes.Length;

    /// <summary>How many of them fell out by their fence.</summary>
    public int FencedCount { get; }

    /// <summary>What became of a change.</summary>
    /// <param name="index">Its place in the batch.</param>
    public CoapWriteOutcome this[int index] => _outcomes[index];

    /// <summary>Tells outcomes by the fences that were the newest of their slots while a batch was written; for engines.</summary>
    /// <param name="batch">The changes.</param>
    /// <param name="newest">The newest fence of each slot, 256 of them; those of slots that the batch does not name are not looked at.
    /// </param>
    /// <returns>The result.</returns>
    public static CoapWriteResult ByFences(ReadOnlySpan<CoapRecordChange> batch, ReadOnlySpan<CoapFence> newest)
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
