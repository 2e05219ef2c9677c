using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>The bad inputs of one protocol layer.</summary>
/// <param name="Layer">Its name.</param>
/// <param name="Peers">Rows by the peer of ours that they are sent to.</param>
internal sealed record HostileTable(string Layer, IReadOnlyDictionary<string, HostileRow[]> Peers)
{
    public const string Server = "server";
    public const string Client = "client";
    public const string StreamServer = "server of connections";
    public const string StreamClient = "client of connections";

    public HostileTable(string layer, HostileRow[] server, HostileRow[] client, HostileRow[] streamServer, HostileRow[] streamClient)
        : this(layer, new Dictionary<string, HostileRow[]>
        {
            [Server] = server,
            [Client] = client,
            [StreamServer] = streamServer,
            [StreamClient] = streamClient,
        })
    {
    }

    public static IReadOnlyList<HostileTable> Tables =>
    [
        MessageTable.Table, OptionTable.Table, ValueTable.Table, NumberTable.Table, ObserveTable.Table, BlockTable.Table,
        SignallingTable.Table, FrameTable.Table, LinkTable.Table, UriTable.Table,
        FreshnessTable.Table, CacheTable.Table, ForeignTable.Table,
    ];

    public IEnumerable<HostileRow> All => Peers.Values.SelectMany(rows => rows);

    /// <summary>Peers and names of rows as data of a theory.</summary>
    public TheoryData<string, string> Names => [.. Peers.SelectMany(peer => peer.Value.Select(row => (peer.Key, row.Name)))];

    public static HostileTable Of(string layer) => Tables.Single(table => table.Layer == layer);
}

/// <summary>One bad input: what is sent before, what is sent, what must be answered and counted.</summary>
/// <param name="Name">A sentence.</param>
/// <param name="Script">The conversation; see <see cref="HostileScript"/>.</param>
/// <param name="Counter">What must count it.</param>
/// <param name="Rfc">The rows of the RFC checklist, and the vectors (BAD-..) that it is, separated by blanks.</param>
/// <param name="Count">By how much the counter goes up.</param>
internal sealed record HostileRow(string Name, string Script, CoapCounter Counter, string Rfc, long Count = 1)
{
    /// <summary>Whether the peer itself is served afterwards, as the protocol allows it; not where it used up its numbers.</summary>
    public bool IsPeerServed { get; init; } = true;

    public override string ToString() => Name;
}
