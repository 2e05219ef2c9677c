namespace CoAP.NET.Speed.Loops;

/// <summary>Source addresses from 127/8, none of them twice: some 13 million.</summary>
internal static class Sources
{
    private static int s_count;

    /// <summary>The next one, as it is in memory.</summary>
    public static uint Next()
    {
        int n = Interlocked.Increment(ref s_count) - 1;
        byte[] bytes = [127, (byte)(1 + (n / (254 * 256) % 200)), (byte)(n / 254 % 256), (byte)(1 + (n % 254))];
        return BitConverter.ToUInt32(bytes);
    }

    public static IPAddress AddressOf(uint source) => new(source);
}
