using System.Buffers.Binary;

namespace CoAP.NET.Cluster;

/// <summary>
/// Where the sequence numbers of notifications begin for observers that a node puts back (RFC 7641 section 4.4), as a time. Clients ignore
/// notifications with older numbers, and the clocks of nodes differ: a node whose clock is ahead must not tell a client newer numbers than
/// the next node does. So each node writes where it begins into the slots that it has, before it puts anybody back, and the next node
/// begins above that. Used by one thread at a time.
/// </summary>
/// <remarks>
/// One number serves for all slots of a server: clients of different slots observe the same resources, and are told the same numbers. Who
/// never put anybody back counts by its clock alone, which <see cref="s_ahead"/> passes.
/// </remarks>
/// <param name="keeper">Keeps the observers of a server.</param>
/// <param name="time">The clock.</param>
internal sealed class NumberFloor(ClusterObserverKeeper keeper, TimeProvider time)
{
    private const byte Version = 1;
    private const int Length = 1 + sizeof(long);

    // What a server runs ahead of the clock after its start, and as much again for clocks that differ.
    private static readonly TimeSpan s_ahead = TimeSpan.FromSeconds(120);

    // 2^18 numbers, for what was said since. It is a part of 2^23, which is half of all numbers: sessions move fewer times in 128 s.
    private static readonly TimeSpan s_step = TimeSpan.FromSeconds(16);

    // When the clocks of all nodes are ahead of it for sure.
    private static readonly TimeSpan s_lasts = TimeSpan.FromMinutes(30);

    private readonly (CoapFence Fence, DateTimeOffset From)[] _written = new (CoapFence, DateTimeOffset)[CoapSlot.Count];

    // Whether somebody was put back, so that numbers from there on were told.
    private bool _isUsed;

    /// <summary>Where numbers begin.</summary>
    public DateTimeOffset From { get; private set; }

    /// <summary>Takes what another node wrote into a slot.</summary>
    /// <param name="record">A record of the slot; one of something else is ignored.</param>
    public void Read(CoapRecord record)
    {
        if (record.Key == keeper.NumbersKeyOf(record.Key.Slot) && record.State.Length == Length && record.State.Span[0] == Version)
        {
            // Its own, when it gets a slot back, need not be passed; this does no harm.
            DateTimeOffset before = new(BinaryPrimitives.ReadInt64BigEndian(record.State.Span[1..]), TimeSpan.Zero);
            From = Later(From, before + s_step);
        }
    }

    /// <summary>Observers are about to be put back.</summary>
    public void Rise()
    {
        DateTimeOffset least = time.GetUtcNow() + s_ahead;
        if (From < least)
        {
            // A whole step more, so that slots that come one after the other are written once.
            From = least + s_step;
        }

        _isUsed = true;
    }

    /// <summary>Writes it into the slots that the node has, unless it is there.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapClusterStoreException">The store failed: call it again before anybody is put back.</exception>
    public async Task WriteAsync(CancellationToken cancellationToken)
    {
        // The clock alone does, here and wherever slots go from here.
        if (!_isUsed || From <= time.GetUtcNow() - s_ahead)
        {
            return;
        }

        byte[] state = new byte[Length];
        state[0] = Version;
        BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(1), From.UtcTicks);
        TimeSpan lifetime = From - time.GetUtcNow() + s_lasts;
        List<CoapRecordChange> batch = [];
        foreach (CoapSlot slot in CoapSlot.All)
        {
            CoapFence fence = keeper.Cluster.FenceOf(slot);
            if (fence.IsSet && _written[slot.Number] != (fence, From))
            {
                batch.Add(CoapRecordChange.Put(keeper.NumbersKeyOf(slot), fence, state, lifetime));
            }
        }

        if (batch.Count > 0)
        {
            // Where another node has a slot meanwhile, nobody of it is put back here.
            _ = await keeper.Cluster.Store.WriteAsync(batch.ToArray(), cancellationToken).ConfigureAwait(false);
            batch.ForEach(change => _written[change.Key.Slot.Number] = (change.Fence, From));
        }
    }

    private static DateTimeOffset Later(DateTimeOffset one, DateTimeOffset other) => one > other ? one : other;
}
