namespace CoAP.NET.Testing;

/// <summary>The decision of a filter of an <see cref="InMemoryNetwork"/> about a datagram.</summary>
public readonly struct NetworkVerdict
{
    /// <summary>Passes the datagram; the conditions of the link apply.</summary>
    public static NetworkVerdict Pass => default;

    /// <summary>Drops the datagram.</summary>
    public static NetworkVerdict Drop => new() { IsDropped = true };

    internal bool IsDropped { get; private init; }

    /// <summary>The additional delay. Later datagrams do not wait, so they overtake it.</summary>
    internal TimeSpan ExtraDelay { get; private init; }

    internal int Copies { get; private init; }

    /// <summary>The replacement bytes; null for the original ones.</summary>
    internal ReadOnlyMemory<byte>? Replacement { get; private init; }

    /// <summary>Delays the datagram.</summary>
    /// <param name="by">The additional delay.</param>
    /// <returns>The verdict.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public static NetworkVerdict Delay(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        return new() { ExtraDelay = by };
    }

    /// <summary>Duplicates the datagram.</summary>
    /// <param name="copies">The number of additional copies.</param>
    /// <returns>The verdict.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public static NetworkVerdict Duplicate(int copies = 1)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(copies);
        return new() { Copies = copies };
    }

    /// <summary>Replaces the bytes of the datagram.</summary>
    /// <param name="data">The new bytes; the method copies them.</param>
    /// <returns>The verdict.</returns>
    public static NetworkVerdict Replace(ReadOnlySpan<byte> data) => new() { Replacement = data.ToArray() };
}
