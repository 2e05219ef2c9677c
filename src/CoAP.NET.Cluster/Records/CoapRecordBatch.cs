namespace CoAP.NET.Cluster;

/// <summary>What every store asks of a batch of changes.</summary>
public static class CoapRecordBatch
{
    /// <summary>How many changes a batch has at most: 10,000.</summary>
    public const int MaxCount = 10_000;

    /// <summary>How many bytes of state a batch has at most: 16 MiB.</summary>
    public const int MaxBytes = 16 * 1024 * 1024;

    /// <summary>Checks a batch; engines call it before they write.</summary>
    /// <param name="batch">The changes.</param>
    /// <exception cref="ArgumentException">There are too many, they are too large, a key has no bytes, or one stands there twice.
    /// </exception>
    public static void Check(ReadOnlySpan<CoapRecordChange> batch)
    {
        if (batch.Length > MaxCount)
        {
            throw new ArgumentException($"A batch has at most {MaxCount} changes, and not {batch.Length}.", nameof(batch));
        }

        long bytes = 0;
        HashSet<CoapRecordKey> keys = new(batch.Length);
        foreach (CoapRecordChange change in batch)
        {
            bytes += change.State.Length;
            if (change.Key.Bytes.Length == 0)
            {
                throw new ArgumentException("The key of a change has no bytes.", nameof(batch));
            }

            if (!keys.Add(change.Key))
            {
                throw new ArgumentException($"Two changes of {change.Key} are in one batch. Which one counts would not be known.",
                    nameof(batch));
            }
        }

        if (bytes > MaxBytes)
        {
            throw new ArgumentException($"A batch has at most {MaxBytes} bytes of state, and not {bytes}.", nameof(batch));
        }
    }
}
