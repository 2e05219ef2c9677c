namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>How many datagram buffers of a size are out, of all pools. Each test has endpoints with sizes that nobody else uses.</summary>
internal static class BufferBalance
{
    // What records take beside the message in buffers of an endpoint.
    private const int Overhead = 13 + 255 + 8 + 1 + 16;

    // Tests that need more come back to those that were used first.
    private const int Sizes = 64;

    // By size, so that counting takes neither lock nor memory.
    private static readonly long[] s_out = new long[1 << 16];
    private static int s_given;

    static BufferBalance()
    {
        CoapDatagramPool.Rented = buffer => Interlocked.Increment(ref s_out[Math.Min(buffer.Length, s_out.Length - 1)]);
        CoapDatagramPool.Returned = buffer => Interlocked.Decrement(ref s_out[Math.Min(buffer.Length, s_out.Length - 1)]);
    }

    /// <summary>
    /// A size for <see cref="CoapMessageLimits.MaxDatagramSize"/> whose buffers nobody else has, and neither those that records of such
    /// need.
    /// </summary>
    public static int NextSize() => 3_000 + ((Interlocked.Increment(ref s_given) & (Sizes - 1)) * 2 * (Overhead + 1));

    /// <summary>How many buffers of messages and of their records are out at endpoints with a size.</summary>
    /// <param name="size">What <see cref="NextSize"/> gave.</param>
    public static long Out(int size) => Volatile.Read(ref s_out[size + Overhead]);
}
