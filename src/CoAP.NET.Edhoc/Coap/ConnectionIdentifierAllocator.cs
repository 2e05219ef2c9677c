namespace CoAP.NET.Edhoc.Coap;

/// <summary>Chooses connection identifiers: first the 48 that are one byte on the wire, then longer ones. Thread-safe.</summary>
/// <param name="random">The source of randomness.</param>
/// <param name="isTaken">Whether another component uses an identifier; null for none.</param>
internal sealed class ConnectionIdentifierAllocator(CoapRandomSource random, Func<ReadOnlyMemory<byte>, bool>? isTaken)
{
    public const int MaxAttempts = 32;
    private const int ShortOnes = 48;

    /// <summary>Returns an identifier that is free according to the callback.</summary>
    /// <param name="peerId">The peer's identifier, which is not available.</param>
    /// <exception cref="EdhocException">All are in use.</exception>
    public byte[] Next(ReadOnlySpan<byte> peerId)
    {
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            if (TryMake(attempt, peerId) is { } id)
            {
                return id;
            }
        }

        throw new EdhocException($"No free connection identifier was found in {MaxAttempts} attempts.");
    }

    /// <summary>Returns a candidate; null if it is in use.</summary>
    /// <param name="attempt">Number of earlier attempts.</param>
    /// <param name="peerId">The peer's identifier.</param>
    public byte[]? TryMake(int attempt, ReadOnlySpan<byte> peerId)
    {
        Span<byte> bytes = stackalloc byte[4];
        random.Fill(bytes);
        int number = bytes[0] % ShortOnes;
        byte[] id = attempt < 8 ? [(byte)(number < 24 ? number : number + 8)] : attempt < 20 ? [.. bytes[..2]] : [.. bytes];
        return peerId.SequenceEqual(id) || isTaken?.Invoke(id) == true ? null : id;
    }
}
