using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// The first sequence number of notifications for restored observers (RFC 7641 section 4.4), as a time. Clients ignore notifications with
/// older numbers, and the clocks of nodes differ: a node with a fast clock must not use newer numbers than the next node. Each node
/// therefore writes its first number into its slots before it restores observers, and the next node starts above that. Used by one thread
/// at a time.
/// </summary>
/// <remarks>
/// One number serves all slots of a server: clients of different slots observe the same resources, and get the same numbers. A node without
/// restored observers counts by its clock alone; <see cref="s_ahead"/> exceeds that.
/// </remarks>
/// <param name="observerStore">The store of a server's observers.</param>
/// <param name="time">The clock.</param>
internal sealed class FirstNotificationNumber(ClusterObserverStore observerStore, TimeProvider time)
{
    // The distance by which a server runs ahead of the clock after its start, doubled for differing clocks.
    private static readonly TimeSpan s_ahead = TimeSpan.FromSeconds(120);

    // 2^18 numbers, for notifications sent since. It is a fraction of 2^23, half of all numbers: sessions move fewer times in 128 s.
    private static readonly TimeSpan s_step = TimeSpan.FromSeconds(16);

    // The time after which the clocks of all nodes are certainly past it.
    private static readonly TimeSpan s_lasts = TimeSpan.FromMinutes(30);

    private readonly (CoapFencingToken Fence, DateTimeOffset From)[] _written = new (CoapFencingToken, DateTimeOffset)[CoapSlot.Count];

    // Whether an observer was restored, so that numbers from there on were used.
    private bool _isUsed;

    /// <summary>The first number.</summary>
    public DateTimeOffset From { get; private set; }

    public static byte[] StateOf(DateTimeOffset from)
    {
        byte[] state = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64BigEndian(state, from.UtcTicks);
        return state;
    }

    /// <summary>Reads the state of a record; null for invalid bytes.</summary>
    public static DateTimeOffset? TryRead(ReadOnlySpan<byte> state) =>
        state.Length == sizeof(long) && BinaryPrimitives.ReadInt64BigEndian(state) is >= 0 and var ticks
            && ticks <= DateTimeOffset.MaxValue.UtcTicks
            ? new DateTimeOffset(ticks, TimeSpan.Zero)
            : null;

    /// <summary>Applies the number that another node wrote into a slot.</summary>
    /// <param name="record">A record of the slot; other records are ignored.</param>
    public void Read(CoapRecord record)
    {
        if (record.Key == observerStore.NumbersKeyOf(record.Key.Slot) && TryRead(record.State.Span) is { } before)
        {
            // The node's own number from a returned slot need not be exceeded; this does no harm.
            From = Later(From, before + s_step);
        }
    }

    /// <summary>Raises the number before observers are restored.</summary>
    public void Rise()
    {
        DateTimeOffset least = time.GetUtcNow() + s_ahead;
        if (From < least)
        {
            // A whole step higher, so that consecutive slots need only one write.
            From = least + s_step;
        }

        _isUsed = true;
    }

    /// <summary>Writes the number into the slots of this node, unless they have it.</summary>
    /// <exception cref="CoapClusterStoreException">The store failed. Call it again before any observer is restored.</exception>
    public async Task WriteAsync(CancellationToken cancellationToken)
    {
        // The clock alone suffices, for this node and the next owners.
        if (!_isUsed || From <= time.GetUtcNow() - s_ahead)
        {
            return;
        }

        byte[] state = StateOf(From);
        TimeSpan lifetime = From - time.GetUtcNow() + s_lasts;
        List<CoapRecordWrite> batch = [];
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapFencingToken fence = observerStore.Cluster.FenceOf(slot);
            if (fence.IsSet && _written[slot.Number] != (fence, From))
            {
                batch.Add(CoapRecordWrite.Put(observerStore.NumbersKeyOf(slot), fence, state, lifetime));
            }
        }

        if (batch.Count > 0)
        {
            // If another node has taken a slot meanwhile, its observers are not restored here.
            _ = await observerStore.Cluster.Store.WriteAsync(batch.ToArray(), cancellationToken).ConfigureAwait(false);
            batch.ForEach(change => _written[change.Key.Slot.Number] = (change.Fence, From));
        }
    }

    private static DateTimeOffset Later(DateTimeOffset one, DateTimeOffset other) => one > other ? one : other;
}
