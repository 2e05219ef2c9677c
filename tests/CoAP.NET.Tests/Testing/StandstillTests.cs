using CoAP.NET.Testing;
using CoAP.NET.Testing.Network;
using CoAP.NET.Testing.Time;

namespace CoAP.NET.Tests.Testing;

/// <summary>What <see cref="HangReport"/> prints when a test awaits an answer and its clock does not advance.</summary>
/// <remarks>The report is printed after some real time in which virtual time does not advance.</remarks>
public sealed class StandstillTests
{
    private readonly VirtualClock _real = new();
    private readonly StringWriter _said = new();

    [Fact]
    public void The_report_names_a_datagram_once_when_its_clock_does_not_advance()
    {
        HangReport standstill = new(_real, _said);
        (DatagramDeliverer delivery, _) = Sent();
        standstill.NoteDatagram(delivery);
        _real.Advance(FromSeconds(9));
        Assert.Equal("", _said.ToString());

        _real.Advance(FromMinutes(1));
        GC.KeepAlive(delivery);

        string said = _said.ToString();
        said.Begins("Virtual time stands still at 00:00:00 for 10 s of real time, and 1 datagram(s) wait for it");
        said.Mentions("GET mid 7d35");
        said.Mentions("AdvanceUntilAsync");
        Assert.Single(said.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    [Fact]
    public void The_hang_report_is_silent_while_a_clock_advances()
    {
        HangReport standstill = new(_real, _said);
        (DatagramDeliverer delivery, _) = Sent();
        standstill.NoteDatagram(delivery);
        for (int i = 0; i < 10; i++)
        {
            _real.Advance(FromSeconds(5));
            standstill.NoteMove();
        }

        GC.KeepAlive(delivery);

        Assert.Equal("", _said.ToString());
    }

    [Fact]
    public void The_hang_report_omits_a_datagram_that_arrived()
    {
        HangReport standstill = new(_real, _said);
        (DatagramDeliverer delivery, VirtualClock clock) = Sent();
        standstill.NoteDatagram(delivery);

        clock.Advance(FromSeconds(1));
        _real.Advance(FromMinutes(1));
        GC.KeepAlive(delivery);

        Assert.Equal("", _said.ToString());
        Assert.Equal(0, _real.TimerCount);
    }

    private static (DatagramDeliverer Delivery, VirtualClock Clock) Sent()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(
            clock, new InMemoryNetworkOptions { Conditions = NetworkConditions.Delayed(FromSeconds(1)) });
        ScriptedPeer device = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        ScriptedPeer client = network.CreatePeer(InMemoryNetwork.Address("192.0.2.2:0"), remote: device.Address);
        client.Send("41 01 7d35 20 b4 'temp'");
        return (network.Delivery, clock);
    }
}
