namespace CoAP.NET.Tables;

/// <summary>Enforces the maximum size of a table.</summary>
internal static class TableSizeLimiter
{
    private static readonly TimeSpan s_retryWhenFull = TimeSpan.FromSeconds(60);

    /// <summary>Throws if there is no room for a value.</summary>
    /// <param name="contents">The entries.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="index">The index of the entry; none if there is none.</param>
    /// <param name="key">Its key.</param>
    /// <param name="decision">The decision to put a value.</param>
    /// <param name="options">The options with the limit.</param>
    /// <exception cref="CoapTableUnavailableException">There is no room.</exception>
    public static void ThrowIfFull(
        TableContents contents, TablePartition slot, int index, CoapTableKey key, in CoapTableDecision decision,
        CoapReplicatedTableOptions options)
    {
        int before = index == TableSlotEntries.None ? 0 : slot.Entries[index].Data!.Length;
        int more = key.Bytes.Length + decision.Value.Length - before;

        // A value that needs no additional room is always accepted.
        if (more > 0 && contents.Bytes + more > options.MaxBytes)
        {
            throw new CoapTableUnavailableException(CoapTableUnavailableReason.Full, s_retryWhenFull,
                $"The table has {contents.Bytes} bytes of at most {options.MaxBytes} (CoapReplicatedTableOptions.MaxBytes), and no room for {more} "
                + "more. Raise it, or make the rules keep less.");
        }
    }
}
