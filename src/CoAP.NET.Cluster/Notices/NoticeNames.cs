namespace CoAP.NET.Cluster;

/// <summary>The names of what changes and is observed, over all servers of a process.</summary>
internal static class NoticeNames
{
    private const char Separator = '\n';

    // FNV-1a: the same on every node and in every version.
    private const ulong FnvBasis = 14_695_981_039_346_656_037;
    private const ulong FnvPrime = 1_099_511_628_211;

    /// <summary>The name of something that a server has.</summary>
    public static string Of(string server, string name) => $"{server}{Separator}{name}";

    /// <summary>What a name means; false where it is none.</summary>
    public static bool TrySplit(string full, out string server, out string name)
    {
        int at = full.IndexOf(Separator, StringComparison.Ordinal);
        (server, name) = at < 0 ? ("", "") : (full[..at], full[(at + 1)..]);
        return at >= 0;
    }

    /// <summary>
    /// A name in 64 bits, by which nodes tell each other what they observe. Where two have the same hash, one is told of changes of the
    /// other in vain.
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
