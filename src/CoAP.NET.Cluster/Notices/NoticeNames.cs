namespace CoAP.NET.Cluster;

/// <summary>The names of changes and observed resources across all servers of a process.</summary>
internal static class NoticeNames
{
    private const char Separator = '\n';

    // FNV-1a: the same on every node and in every version.
    private const ulong FnvBasis = 14_695_981_039_346_656_037;
    private const ulong FnvPrime = 1_099_511_628_211;

    /// <summary>Returns the name of a resource of a server.</summary>
    public static string Of(string server, string name) => $"{server}{Separator}{name}";

    /// <summary>Splits a name; false for an invalid one.</summary>
    public static bool TrySplit(string full, out string server, out string name)
    {
        int at = full.IndexOf(Separator, StringComparison.Ordinal);
        (server, name) = at < 0 ? ("", "") : (full[..at], full[(at + 1)..]);
        return at >= 0;
    }

    /// <summary>
    /// Returns the 64-bit hash of a name, by which nodes report observed resources. A collision only causes useless notices.
    /// </summary>
    public static ulong HashOf(string full)
    {
        ulong hash = FnvBasis;
        foreach (char part in full)
        {
            hash = unchecked((((hash ^ (byte)part) * FnvPrime) ^ (byte)(part >> 8)) * FnvPrime);
        }

        return hash;
    }
}
