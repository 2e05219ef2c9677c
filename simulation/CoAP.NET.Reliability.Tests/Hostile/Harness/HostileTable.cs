namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>The bad inputs of one protocol layer.</summary>
/// <param name="Layer">Its name in docs/reliability.md.</param>
/// <param name="Server">Rows against our server over datagrams.</param>
/// <param name="Client">Rows against our client over datagrams.</param>
/// <param name="StreamServer">Rows against our server over connections.</param>
/// <param name="StreamClient">Rows against our client over connections.</param>
internal sealed record HostileTable(string Layer, HostileRow[] Server, HostileRow[] Client, HostileRow[] StreamServer,
    HostileRow[] StreamClient)
{
    public IEnumerable<HostileRow> All => [.. Server, .. Client, .. StreamServer, .. StreamClient];

    /// <summary>The names of rows as data of a theory; a name stands once.</summary>
    public static TheoryData<string> Names(IReadOnlyList<HostileRow> rows) => [.. rows.Select(static row => row.Name)];

    public static HostileRow Find(IReadOnlyList<HostileRow> rows, string name) => rows.Single(row => row.Name == name);
}
