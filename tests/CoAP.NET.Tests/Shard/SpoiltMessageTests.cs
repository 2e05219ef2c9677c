using CoAP.NET.Options;

namespace CoAP.NET.Tests.Shard;

/// <summary>What tests make of messages that came back. Alone, as tests that count what is allocated turn it off.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SpoiltMessageTests
{
    [Fact]
    public void A_message_that_came_back_is_spoilt_in_tests_and_does_not_come_twice()
    {
        CoapMessage message = SpareMessage.Take(CoapCode.Content, new CoapOptionCollection().AddUInt(OptionNumber.MaxAge, 5));
        message.IsLent = true;
        Assert.True(SpareMessage.Poisons);
        SpareMessage.GiveBack(message);
        Assert.Equal("given back", System.Text.Encoding.UTF8.GetString(message.Payload.Span));
        Assert.False(message.IsLent);
        Assert.False(message.HasOptions);
        Assert.NotSame(message, SpareMessage.Take(CoapCode.Content, null));
    }
}
