using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>The blocks that a user puts between the stages. Mutable until an endpoint is made of the options, which makes the blocks at once.</summary>
public sealed class CoapPipelineOptions
{
    private readonly List<(object Seam, Delegate Factory)> _inserts = [];
    private volatile bool _isTaken;

    /// <summary>
    /// Puts a block between two stages. Each shard gets a block of its own. The block must keep the order of items of one channel, and hand on or dispose
    /// each datagram exactly once (<see cref="CoapDatagram.Copy"/> where it needs two). A block that faults or completes faults the endpoint.
    /// </summary>
    /// <typeparam name="T">What passes at the seam.</typeparam>
    /// <param name="seam">The place, a member of <see cref="CoapSeams"/>.</param>
    /// <param name="factory">Makes the block; any block of the Dataflow library or an own one.</param>
    /// <returns>These options.</returns>
    /// <exception cref="InvalidOperationException">An endpoint, client or server was made of these options already.</exception>
    public CoapPipelineOptions Insert<T>(CoapSeam<T> seam, Func<IPropagatorBlock<T, T>> factory)
    {
        ArgumentNullException.ThrowIfNull(seam);
        ArgumentNullException.ThrowIfNull(factory);
        if (_isTaken)
        {
            throw new InvalidOperationException(
                "Insert before the endpoint, client or server is made: its blocks are linked at that moment, and this one would never be. Make new options for another endpoint.");
        }

        _inserts.Add((seam, factory));
        return this;
    }

    /// <summary>Whether nobody but the stages sees messages on their way from Exchanges to the Serializer.</summary>
    internal bool LeavesMessagesAlone => !At(CoapSeams.ExchangesToMessaging).Any() && !At(CoapSeams.MessagingToSerializer).Any();

    /// <summary>From here on nothing can be inserted.</summary>
    internal void Take() => _isTaken = true;

    internal IEnumerable<Func<IPropagatorBlock<T, T>>> At<T>(CoapSeam<T> seam) =>
        _inserts.Where(insert => insert.Seam == seam).Select(insert => (Func<IPropagatorBlock<T, T>>)insert.Factory);
}
