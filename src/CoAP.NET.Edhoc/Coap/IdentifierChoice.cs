namespace CoAP.NET.Edhoc.Coap;

/// <summary>Chooses connection identifiers: first the 48 that are one byte on the wire, then longer ones. Thread-safe.</summary>
/// <param name="random">Where they come from.</param>
/// <param name="isTaken">What else has identifiers; null for nothing.</param>
internal sealed class IdentifierChoice(CoapRandomSource random, Func<ReadOnlyMemory<byte>, bool>? isTaken)
{
    public const int MaxAttempts = 32;
    private const int ShortOnes = 48;

    /// <summary>One that is not taken, as far as the user says.</summary>
    /// <param name="peerId">That of the peer, which is not to be had.</param>
    /// <exception cref="EdhocException">All are taken.</exception>
    public byte[] Next(ReadOnlySpan<byte> peerId)
    {
        for (int attempt = 0; attempt < MaxAttempts; attempt++)
        {
            if (TryMake(attempt, peerId) is { } id)
            {
                return id;
            }
        }

        throw new EdhocException("There is no connection identifier that is not taken.");
    }

    /// <summary>One candidate; null when it is taken.</summary>
    /// <param name="attempt">How many there were before.</param>
    /// <param name="peerId">That of the peer.</param>
    public byte[]? TryMake(int attempt, ReadOnlySpan<byte> peerId)
    {
        Span<byte> bytes = stackalloc byte[4];
        random.Fill(bytes);
        int number = bytes[0] % ShortOnes;
        byte[] id = attempt < 8 ? [(byte)(number < 24 ? number : number + 8)] : attempt < 20 ? [.. bytes[..2]] : [.. bytes];
        return peerId.SequenceEqual(id) || isTaken?.Invoke(id) == true ? null : id;
    }
}
