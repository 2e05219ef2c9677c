namespace CoAP.NET.Tests.Execution;

/// <summary>The random numbers of the operating system.</summary>
public sealed class SecureRandomTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    [InlineData(256)]
    [InlineData(257)]
    [InlineData(100_000)]
    public void Every_part_of_a_span_of_any_length_is_filled_anew(int length)
    {
        byte[] first = new byte[length];
        byte[] second = new byte[length];
        CoapRandomSource.Secure.Fill(first);
        CoapRandomSource.Secure.Fill(second);

        // 8 equal bytes at one place by chance: one in 2^64.
        for (int i = 0; i + 8 <= length; i++)
        {
            Assert.False(first.AsSpan(i, 8).SequenceEqual(second.AsSpan(i, 8)));
        }
    }
}
