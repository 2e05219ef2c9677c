namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Bodies to transfer.</summary>
internal static class Bodies
{
    public const int Large = 64 * 1024;

    /// <summary>All sizes of blocks (RFC 7959 section 2.2).</summary>
    public static TheoryData<int> BlockSizes => [16, 32, 64, 128, 256, 512, 1024];

    /// <summary>Bytes without a pattern, so that a block in the wrong place shows; the same ones for the same seed.</summary>
    public static byte[] Make(int length, int seed)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
