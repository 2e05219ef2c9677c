namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Recognises copies of a ClientHello whose handshake has failed. A client repeats it because it does not trust the unprotected alert, and
/// the handshake fails again: the log and the counters of the endpoint have it once. Of fixed size; a flood of other failures makes it
/// forget. Thread-safe.
/// </summary>
internal sealed class FailedHellos
{
    private const int Size = 256;
    private const long IsSet = 1L << 32;

    private readonly long[] _hellos = new long[Size];

    /// <summary>Whether the same ClientHello failed before; remembers it.</summary>
    /// <param name="path">The path to the client.</param>
    /// <param name="beginning">The part of the ClientHello before the cookie, which has its random number.</param>
    public bool IsCopy(in DtlsPath path, ReadOnlySpan<byte> beginning)
    {
        HashCode hash = default;
        hash.Add(path.Remote);
        hash.AddBytes(beginning);
        uint value = (uint)hash.ToHashCode();
        return Interlocked.Exchange(ref _hellos[value % Size], value | IsSet) == (value | IsSet);
    }
}
