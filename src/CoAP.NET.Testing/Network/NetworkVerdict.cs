namespace CoAP.NET.Testing;

/// <summary>What a filter of an <see cref="InMemoryNetwork"/> decides about a datagram.</summary>
public readonly record struct NetworkVerdict
{
    /// <summary>Let it go its way; the conditions of the link apply.</summary>
    public static NetworkVerdict Pass => default;

    /// <summary>Lose it.</summary>
    public static NetworkVerdict Drop => new() { IsDropped = true };

    /// <summary>Whether it is lost.</summary>
    public bool IsDropped { get; private init; }

    /// <summary>How much longer than the link's delay it takes. Later datagrams are not held up, so they overtake it.</summary>
    public TimeSpan ExtraDelay { get; private init; }

    /// <summary>How many copies arrive besides the original.</summary>
    public int Copies { get; private init; }

    /// <summary>The bytes that arrive in place of the ones sent; null for the same.</summary>
    public ReadOnlyMemory<byte>? Replacement { get; private init; }

    /// <summary>Hold it back.</summary>
    /// <param name="by">How much longer than the link's delay it takes.</param>
    /// <returns>The verdict.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative.</exception>
    public static NetworkVerdict Delay(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        return new() { ExtraDelay = by };
    }

    /// <summary>Deliver it more than once.</summary>
    /// <param name="copies">How many copies arrive besides the original.</param>
    /// <returns>The verdict.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public static NetworkVerdict Duplicate(int copies = 1)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(copies);
        return new() { Copies = copies };
    }

    /// <summary>Deliver other bytes.</summary>
    /// <param name="data">The bytes; copied.</param>
    /// <returns>The verdict.</returns>
    public static NetworkVerdict Replace(ReadOnlySpan<byte> data) => new() { Replacement = data.ToArray() };
}
