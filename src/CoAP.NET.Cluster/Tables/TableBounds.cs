namespace CoAP.NET.Cluster;

/// <summary>What a table takes no more of.</summary>
internal static class TableBounds
{
    private static readonly TimeSpan s_retryWhenFull = TimeSpan.FromSeconds(60);

    /// <summary>Throws when there is no room for a value.</summary>
    /// <param name="contents">The entries.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="index">Where the entry is now; none when there is none.</param>
    /// <param name="key">Its key.</param>
    /// <param name="decision">What is put.</param>
    /// <param name="options">The bound.</param>
    /// <exception cref="CoapTableUnavailableException">There is no room.</exception>
    public static void ThrowIfFull(
        TableContents contents, TableSlot slot, int index, CoapTableKey key, in CoapTableDecision decision, CoapTableOptions options)
    {
        int before = index == TableEntries.None ? 0 : slot.Entries[index].Data!.Length;
        int more = key.Bytes.Length + decision.Value.Length - before;

        // What needs no more room than before is taken even then.
        if (more > 0 && contents.Bytes + more > options.MaxBytes)
        {
            throw new CoapTableUnavailableException(CoapTableFault.Full, s_retryWhenFull,
                $"The table has {contents.Bytes} bytes of at most {options.MaxBytes} (CoapTableOptions.MaxBytes), and no room for {more} "
                + "more. Raise it, or have the rules keep less.");
        }
    }
}
