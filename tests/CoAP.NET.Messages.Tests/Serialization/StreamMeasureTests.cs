namespace CoAP.NET.Tests.Serialization;

/// <summary>How long a message of a stream is, from its beginning.</summary>
public sealed class StreamMeasureTests
{
    [Theory]
    [InlineData("2101aab178", 5)]
    [InlineData("2101aa", 5)]
    [InlineData("e1000003aa", 274)]
    public void The_length_of_a_message_is_known_before_the_message_is_complete(string hex, long expected)
    {
        Assert.True(CoapStreamSerializer.Default.TryMeasure(Wire.Hex(hex), out long length));
        Assert.Equal(expected, length);
    }

    [Theory]
    [InlineData("")]
    [InlineData("21")]
    [InlineData("0f01")]
    public void TryMeasure_returns_false_for_too_few_or_malformed_bytes(string hex)
    {
        Assert.False(CoapStreamSerializer.Default.TryMeasure(Wire.Hex(hex), out long length));
        Assert.Equal(0, length);
    }
}
