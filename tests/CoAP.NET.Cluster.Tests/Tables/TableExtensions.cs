namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Tables of texts (<see cref="NoteRules"/>).</summary>
internal static class TableExtensions
{
    public static async Task<string> AskAsync(this CoapReplicatedTable table, CoapTableKey key, string question) =>
        Encoding.UTF8.GetString((await table.RequestAsync(key, Encoding.UTF8.GetBytes(question))).Span);

    /// <summary>A key in a slot.</summary>
    public static CoapTableKey Key(int slot, string name = "") => new([(byte)slot, .. Encoding.UTF8.GetBytes(name)]);

    /// <summary>The key of a name; null while the node does not know how keys are made.</summary>
    public static CoapTableKey? FindKeyOf(this CoapReplicatedTable table, string name)
    {
        try
        {
            return table.KeyOf(Encoding.UTF8.GetBytes(name));
        }
        catch (CoapTableUnavailableException)
        {
            return null;
        }
    }
}
