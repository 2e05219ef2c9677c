using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Pipeline;

/// <summary>The blocks that a user puts between the stages. Mutable; an endpoint makes the blocks when it is made itself, so later changes do not reach it.</summary>
public sealed class CoapPipelineOptions
{
    private readonly List<(object Seam, Delegate Factory)> _inserts = [];

    /// <summary>
    /// Puts a block between two stages. Each shard gets a block of its own. The block must keep the order of items of one channel, and hand on or dispose
    /// each datagram exactly once (<see cref="Transports.CoapDatagram.Copy"/> where it needs two). A block that faults or completes faults the endpoint.
    /// </summary>
    /// <typeparam name="T">What passes at the seam.</typeparam>
    /// <param name="seam">The place, a member of <see cref="CoapSeams"/>.</param>
    /// <param name="factory">Makes the block; any block of the Dataflow library or an own one.</param>
    /// <returns>These options.</returns>
    public CoapPipelineOptions Insert<T>(CoapSeam<T> seam, Func<IPropagatorBlock<T, T>> factory)
    {
        ArgumentNullException.ThrowIfNull(seam);
        ArgumentNullException.ThrowIfNull(factory);
        _inserts.Add((seam, factory));
        return this;
    }

    internal IEnumerable<Func<IPropagatorBlock<T, T>>> At<T>(CoapSeam<T> seam) =>
        _inserts.Where(insert => insert.Seam == seam).Select(insert => (Func<IPropagatorBlock<T, T>>)insert.Factory);
}
