using CoAP.NET.Serialization;

namespace CoAP.NET.Tests.Serialization;

/// <summary>How long a message of a stream is, from its beginning.</summary>
public sealed class StreamMeasureTests
{
    [Theory]
    [InlineData("2101aab178", 5)]
    [InlineData("2101aa", 5)]
    [InlineData("e1000003aa", 274)]
    public void The_length_is_known_before_the_message_is_whole(string hex, long expected)
    {
        Assert.True(CoapStreamSerializer.Default.TryMeasure(Wire.Hex(hex), out long length));
        Assert.Equal(expected, length);
    }

    [Theory]
    [InlineData("")]
    [InlineData("21")]
    [InlineData("0f01")]
    public void Too_little_and_what_is_no_message_has_no_length(string hex)
    {
        Assert.False(CoapStreamSerializer.Default.TryMeasure(Wire.Hex(hex), out long length));
        Assert.Equal(0, length);
    }
}
