namespace CoAP.NET.Cluster.Records;

/// <summary>
/// The format of records, whose number is the first byte of everything that <see cref="StoreRecordCipher"/>
/// encrypts. A node reads its newest format and those before it. It writes the one before its newest until all nodes of the map announce
/// that they read the newest, and have done so for a day: until then an older version of the library can take over again. Thread-safe.
/// </summary>
/// <param name="newest">The newest format that this node reads and writes.</param>
internal sealed class RecordFormat(byte newest = RecordFormat.Newest)
{
    /// <summary>The oldest format that this version reads, which is at most the one before the newest.</summary>
    public const byte Oldest = 1;

    /// <summary>
    /// The newest format that this version reads and writes. Another number is needed when any of the records changes: see
    /// RecordFormatTests, which has the bytes of each of them.
    /// </summary>
#if NEXT_RECORD_FORMAT
    public const byte Newest = 2; // CI upgrades a store to a version with another format, and goes back
#else
    public const byte Newest = 1;
#endif

    private volatile Decision? _decided;

    // Of the other nodes.
    private volatile byte _lowest = byte.MaxValue;

    /// <summary>How long all nodes must announce a newer format before it is written.</summary>
    public static TimeSpan Trial { get; } = TimeSpan.FromDays(1);

    /// <summary>The newest format that this node reads and writes, which it announces in the map.</summary>
    public byte Announced => newest;

    /// <summary>
    /// What the nodes have decided, which is kept in the store (<see cref="ClusterSecretCheckRecord"/>); null before it was read.
    /// </summary>
    public Decision? Decided
    {
        get => _decided;
        set => _decided = value;
    }

    /// <summary>The format in which this node writes now.</summary>
    public byte Written => Math.Max(Math.Min(_decided?.Format ?? Oldest, Lowest), Math.Max(Oldest, (byte)(newest - 1)));

    private byte Lowest => Math.Min(_lowest, newest);

    /// <summary>Whether this node reads a format.</summary>
    /// <param name="format">The first byte of a record.</param>
    public bool CanRead(byte format) => format >= Oldest && format <= newest;

    /// <summary>Takes what the nodes of the newest map announce. If one of them is older, the older format is written at once.</summary>
    /// <param name="announced">The newest format of each node.</param>
    public void Hear(IEnumerable<byte> announced) => _lowest = announced.DefaultIfEmpty(byte.MaxValue).Min();

    public Decision Next(DateTimeOffset now)
    {
        byte lowest = Lowest;
        if (_decided is not { } decided)
        {
            return new Decision(lowest, null);
        }

        if (lowest <= decided.Format)
        {
            return new Decision(lowest, null);
        }

        // A clock that went back begins again.
        return decided.Since is not { } since || since > now ? decided with { Since = now }
            : now - since >= Trial ? new Decision(lowest, null)
            : decided;
    }

    /// <summary>A decision of the nodes.</summary>
    /// <param name="Format">The format in which they write.</param>
    /// <param name="Since">Since when all of them announce a newer one; null if one of them does not.</param>
    public sealed record Decision(byte Format, DateTimeOffset? Since);
}
