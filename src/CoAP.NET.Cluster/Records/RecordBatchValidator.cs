namespace CoAP.NET.Cluster.Records;

/// <summary>Rules for batches of changes that all engines share.</summary>
internal static class RecordBatchValidator
{
    /// <summary>The maximum number of changes in a batch: 10,000.</summary>
    public const int MaxCount = 10_000;

    /// <summary>The maximum number of bytes of state in a batch: 16 MiB.</summary>
    public const int MaxBytes = 16 * 1024 * 1024;

    /// <summary>The minimum length of the state of an <see cref="CoapRecordKind.OscoreContext"/>: epoch and bound, 16 bytes.</summary>
    public const int MinOscoreLength = 16;

    /// <summary>Validates a batch; engines call it before they write.</summary>
    /// <exception cref="ArgumentException">There are too many changes, they are too large, a key is empty or occurs twice, or the state of
    /// an OSCORE context is too short.</exception>
    public static void Check(ReadOnlySpan<CoapRecordWrite> batch)
    {
        if (batch.Length > MaxCount)
        {
            throw new ArgumentException($"A batch may have at most {MaxCount} changes; this one has {batch.Length}.", nameof(batch));
        }

        long bytes = 0;
        HashSet<CoapRecordKey> keys = new(batch.Length);
        foreach (CoapRecordWrite change in batch)
        {
            bytes += change.State.Length;
            if (change.Key.Bytes.Length == 0)
            {
                throw new ArgumentException("The key of a change is empty. Set at least one byte.", nameof(batch));
            }

            if (change is { IsRemoval: false, Key.Kind: CoapRecordKind.OscoreContext, State.Length: < MinOscoreLength })
            {
                throw new ArgumentException($"The state of {change.Key} has {change.State.Length} bytes. It begins with the epoch and the "
                    + $"bound, {MinOscoreLength} bytes.", nameof(batch));
            }

            if (!keys.Add(change.Key))
            {
                throw new ArgumentException($"The batch has two changes of {change.Key}. Keep only the newest one.",
                    nameof(batch));
            }
        }

        if (bytes > MaxBytes)
        {
            throw new ArgumentException($"A batch may have at most {MaxBytes} bytes of state; this one has {bytes}.", nameof(batch));
        }
    }
}
