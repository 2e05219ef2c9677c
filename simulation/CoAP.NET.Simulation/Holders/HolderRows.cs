namespace CoAP.NET.Simulation.Holders;

/// <summary>All rows over sockets, in the order of the table.</summary>
internal static class HolderRows
{
    public static IReadOnlyList<HolderRow> All { get; } = [.. StreamHolders.Rows, .. RequestHolders.Rows, .. DtlsHolders.Rows];
}
