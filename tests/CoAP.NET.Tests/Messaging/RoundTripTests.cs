using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The smoothed round-trip time of a peer, which is measured with any timing.</summary>
public sealed class RoundTripTests
{
    private readonly MessagingRig _rig = new();

    [Fact]
    public void A_peer_without_a_sample_has_no_round_trip_time()
    {
        CoapChannel channel = _rig.Channel();
        Assert.Null(Rtt(channel));
        _rig.Receive(channel, "40010001");
        Assert.Null(Rtt(channel));
        _rig.Send(channel);
        Assert.Null(Rtt(channel));
    }

    [Theory]
    [InlineData("6000{0}", "an Empty acknowledgement")]
    [InlineData("6145{0}a1ff31", "a piggybacked response")]
    [InlineData("7000{0}", "a reset")]
    public void The_first_answer_is_the_round_trip_time(string answer, string why)
    {
        CoapChannel channel = _rig.Channel();
        Exchange(channel, 0.8, answer);
        Assert.True(Rtt(channel) == FromSeconds(0.8), why);
    }

    [Fact]
    public void Each_further_sample_moves_the_round_trip_time_by_an_eighth()
    {
        CoapChannel channel = _rig.Channel();
        Exchange(channel, 0.8);
        Exchange(channel, 1.6);
        Assert.Equal(FromSeconds(0.9), Rtt(channel));
        Exchange(channel, 0.1);
        Assert.Equal(FromSeconds(0.8), Rtt(channel));
    }

    [Fact]
    public void A_retransmitted_message_gives_no_round_trip_sample()
    {
        CoapChannel channel = _rig.Channel();
        Exchange(channel, 4);
        Assert.Null(Rtt(channel));
        Exchange(channel, 0.5);
        Exchange(channel, 5);
        Assert.Equal(FromSeconds(0.5), Rtt(channel));
    }

    [Fact]
    public void A_reset_of_a_nonconfirmable_message_gives_no_sample()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Send(channel, CoapMessageType.NonConfirmable);
        _rig.Receive(channel, $"7000{_rig.LastMid}");
        Assert.Null(Rtt(channel));
    }

    [Fact]
    public void An_answer_that_takes_no_time_is_a_sample()
    {
        CoapChannel channel = _rig.Channel();
        Exchange(channel, 0);
        Assert.Equal(TimeSpan.Zero, Rtt(channel));
    }

    private TimeSpan? Rtt(CoapChannel channel) => _rig.Ask(_ => MessageLayer.RttOf(channel));

    private void Exchange(CoapChannel channel, double seconds, string answer = "6000{0}")
    {
        _rig.Send(channel);
        _rig.Pass(seconds);
        _rig.Receive(channel, string.Format(System.Globalization.CultureInfo.InvariantCulture, answer, _rig.LastMid));
    }
}
