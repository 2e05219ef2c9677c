using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>What the layer says to malformed and unexpected messages: RFC 7252 sections 4.2 and 4.3.</summary>
public sealed class FormatReactionTests
{
    private const string Reset = "70007d34";
    private readonly MessagingRig _rig = new();

    public FormatReactionTests()
    {
        // The stage above as far as it matters: no request of ours is open, so every response is unexpected.
        _rig.Handle = item =>
        {
            if (item.Received is not null && item.Message is { } message && message.Code.IsResponse)
            {
                _rig.Answer(item, CoapOutboundAction.Reject);
            }
        };
    }

    [Theory]
    [InlineData("BAD-01", "")]
    [InlineData("BAD-01", "40")]
    [InlineData("BAD-01", "40017d")]
    [InlineData("BAD-02", "00017d34")]
    [InlineData("BAD-02", "80017d34")]
    [InlineData("BAD-02", "c0017d34")]
    [InlineData("BAD-17", "60217d34")]
    [InlineData("BAD-17", "60017d34")]
    [InlineData("BAD-18", "70457d34")]
    [InlineData("BAD-18", "70007d34ff")]
    [InlineData("BAD-20", "50007d34")]
    [InlineData("BAD-22", "6000beef")]
    [InlineData("BAD-22", "7000beef")]
    [InlineData("BAD-23", "65007d343432323833")]
    [InlineData("BAD-25", "51457d3499ff31")]
    [InlineData("BAD-26 without a request", "61457d3499ff31")]
    [Rfc("7252-3-1", "7252-4.2-5", "7252-4.3-1")]
    public void An_invalid_message_is_ignored_silently(string row, string bytes)
    {
        _rig.Receive(_rig.Channel(), bytes);
        _rig.Pass(300);
        Assert.True(_rig.Sent.Count == 0, row);
        Assert.True(_rig.Up.All(item => item.Message?.Code.IsResponse == true), row);
    }

    [Theory]
    [InlineData("BAD-04", "4f017d34aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    [InlineData("BAD-05", "44017d34aabb")]
    [InlineData("BAD-06", "41007d3420")]
    [InlineData("BAD-07", "40007d3400")]
    [InlineData("BAD-07", "40007d34ff")]
    [InlineData("BAD-07", "40007d34b474657374")]
    [InlineData("BAD-08", "40017d34ff")]
    [InlineData("BAD-08", "40017d34b474657374ff")]
    [InlineData("BAD-09", "40017d34f0")]
    [InlineData("BAD-09", "40017d34f1aa")]
    [InlineData("BAD-09", "40017d34fe")]
    [InlineData("BAD-10", "40017d341f")]
    [InlineData("BAD-10", "40017d34bf74657374")]
    [InlineData("BAD-11", "40017d34d0")]
    [InlineData("BAD-12", "40017d34e0")]
    [InlineData("BAD-12", "40017d34e001")]
    [InlineData("BAD-13", "40017d34bd")]
    [InlineData("BAD-14", "40017d34be")]
    [InlineData("BAD-14", "40017d34be01")]
    [InlineData("BAD-15", "40017d34b474")]
    [InlineData("BAD-15", "40017d34bd0061")]
    [InlineData("BAD-16", "40217d34")]
    [InlineData("BAD-16", "40c17d34")]
    [InlineData("BAD-16", "40e17d34")]
    [InlineData("BAD-19", "40017d34e0ffffe0ffff")]
    [InlineData("BAD-21", "40007d34")]
    [InlineData("BAD-24", "41457d3499ff31")]
    [InlineData("BAD-27", "40457d34")]
    [Rfc("7252-3-2", "7252-3-3", "7252-3.1-2", "7252-3.1-3", "7252-3.1-4", "7252-4.1-1", "7252-4.2-2", "7252-4.2-4", "7252-5.3.2-3")]
    public void An_invalid_Confirmable_message_gets_a_Reset_and_an_invalid_Non_confirmable_message_does_not(string row, string bytes)
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, bytes);
        Assert.True(_rig.Bytes.SequenceEqual([Reset]), row);

        _rig.Sent.Clear();
        _rig.Receive(channel, "5" + bytes[1..]);
        _rig.Pass(300);
        Assert.True(_rig.Sent.Count == 0, row);
    }

    [Theory]
    [InlineData("40017d34ff")]
    [InlineData("50017d34ff")]
    [InlineData("40007d34")]
    [InlineData("40017d34")]
    [InlineData("40217d34")]
    [Rfc("7252-8.1-3", "7252-4.3-2")]
    public void An_invalid_or_Confirmable_multicast_message_is_ignored(string bytes)
    {
        _rig.Receive(_rig.Channel(), bytes, multicast: true);
        _rig.Pass(10);
        Assert.Empty(_rig.Sent);
        Assert.Empty(_rig.Up);
    }

    [Fact]
    [Rfc("7252-8.1-3")]
    public void A_multicast_request_is_never_reset()
    {
        _rig.Handle = item => _rig.Answer(item, CoapOutboundAction.Reject);
        _rig.Receive(_rig.Channel(), "50017d34", multicast: true);
        CoapInbound up = Assert.Single(_rig.Up);
        Assert.True(up.Received!.IsMulticast);
        Assert.Empty(_rig.Sent);
        Assert.Equal(0, _rig.Layer.Memory.Running);
    }

    [Fact]
    public void A_truncated_request_is_reported_once_and_its_reply_is_piggybacked()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = item => _rig.Reply(item, new CoapMessage(CoapCode.RequestEntityTooLarge));
        _rig.Receive(channel, "41027d3471ff414141", truncated: true);
        _rig.Receive(channel, "41027d3471ff414141", truncated: true);

        CoapInbound up = Assert.Single(_rig.Up);
        Assert.Equal(CoapInboundKind.FormatError, up.Kind);
        Assert.Equal(["618d7d3471", "618d7d3471"], _rig.Bytes);
    }

    [Fact]
    [Rfc("7252-4.2-5")]
    public void Truncated_acknowledgements_and_Resets_are_ignored()
    {
        _rig.Receive(_rig.Channel(), "61457d3471ff414141", truncated: true);
        _rig.Receive(_rig.Channel(), "71007d3471ff414141", truncated: true);
        Assert.Empty(_rig.Up);
        Assert.Empty(_rig.Sent);
    }

    [Fact]
    [Rfc("7252-4.2-5")]
    public void Unmatched_acknowledgements_and_resets_are_counted()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "6000beef");
        _rig.Receive(channel, "7000beef");
        _rig.Receive(channel, "61457d3499ff31");
        Assert.Equal(3, _rig.Counters[CoapCounter.UnmatchedAcknowledgements]);
        _rig.Receive(channel, "60017d34");
        _rig.Receive(channel, "70457d34");
        Assert.Equal(3, _rig.Counters[CoapCounter.UnmatchedAcknowledgements]);
    }

    [Fact]
    public void Sent_Resets_are_counted()
    {
        _rig.Receive(_rig.Channel(), "40007d34");
        _rig.Receive(_rig.Channel(), "40017d34ff");
        Assert.Equal(2, _rig.Counters[CoapCounter.ResetsSent]);
    }
}
