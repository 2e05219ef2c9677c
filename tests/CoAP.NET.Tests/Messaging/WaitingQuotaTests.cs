using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Messages that wait because all places are taken, when there is no room for more of them.</summary>
public sealed class WaitingQuotaTests
{
    private const int Places = 4;

    private readonly MessagingRig _rig = new(new CoapLimits { Messages = { MaxOutstanding = Places } });

    private readonly List<CoapTransmission> _dropped = [];

    public WaitingQuotaTests()
    {
        _rig.Handle = item =>
        {
            if (item.Kind == CoapInboundKind.NotSent)
            {
                _dropped.Add(item.Transmission!);
            }
        };

        // Peers that never acknowledge have all places.
        for (int i = 0; i < Places; i++)
        {
            _rig.Send(At(0xc6336400u + (uint)i));
        }

        Assert.Equal(Places, _rig.Sent.Count);
    }

    [Fact]
    public void A_message_to_a_new_source_evicts_a_waiting_message_of_the_source_with_the_most()
    {
        CoapTransmission[] greedy = [.. Enumerable.Range(1, Places).Select(port => _rig.Send(At(0xc0000207, (ushort)port)))];
        Assert.Empty(_dropped);

        CoapTransmission honest = _rig.Send(At(0xc0000201));
        Assert.True(honest.IsQueued);
        Assert.Equal([greedy[0]], _dropped);
        Assert.Equal(Places, _rig.Layer.Waiting);
        Assert.Equal(1, _rig.Counters[CoapCounter.NotSent]);
    }

    [Fact]
    public void A_message_to_the_source_with_the_most_waiting_messages_evicts_none_of_other_sources()
    {
        CoapTransmission honest = _rig.Send(At(0xc0000201));
        for (int port = 1; port <= 1000; port++)
        {
            _rig.Send(At(0xc0000207, (ushort)port));
        }

        Assert.True(honest.IsQueued);
        Assert.DoesNotContain(honest, _dropped);
        Assert.Equal(1000 - (Places - 1), _dropped.Count);
        Assert.Equal(Places, _rig.Layer.Waiting);
    }

    [Fact]
    public void A_new_message_is_refused_when_every_source_has_as_many_waiting_messages()
    {
        CoapTransmission[] waiting = [.. Enumerable.Range(1, Places).Select(i => _rig.Send(At(0xc0000200u + (uint)i)))];
        CoapTransmission late = _rig.Send(At(0xc0000209));
        Assert.Equal([late], _dropped);
        Assert.All(waiting, static one => Assert.True(one.IsQueued));
    }

    [Fact]
    public void The_peer_served_least_recently_of_the_greediest_source_loses_its_last_waiting_message()
    {
        CoapTransmissionParameters many = CoapTransmissionParameters.Default with { NStart = 10, ProbingRate = 1_000_000 };
        CoapChannel one = At(0xc0000207, 1, many);
        CoapChannel two = At(0xc0000207, 2, many);
        CoapTransmission[] greedy = [_rig.Send(one), _rig.Send(one), _rig.Send(two), _rig.Send(two)];
        _rig.Send(At(0xc0000201));
        Assert.Equal([greedy[1]], _dropped);
        _rig.Send(At(0xc0000202));
        Assert.Equal([greedy[1], greedy[3]], _dropped);
    }

    [Fact]
    public void An_evicted_message_is_not_sent_and_the_other_waiting_messages_are_sent_in_turn()
    {
        CoapTransmission[] greedy = [.. Enumerable.Range(1, Places).Select(port => _rig.Send(At(0xc0000207, (ushort)port)))];
        CoapTransmission honest = _rig.Send(At(0xc0000201));

        // 93 s: the silent ones are given up.
        _rig.Pass(200);
        Assert.Equal([false, true, true, true], greedy.Select(static one => one.Attempts > 0));
        Assert.True(honest.Attempts > 0);
        Assert.Equal(0, _rig.Layer.Waiting);
    }

    private CoapChannel At(uint address, ushort port = 5683, CoapTransmissionParameters? parameters = null) =>
        _rig.Channel(address: CoapAddress.FromIPv4(address, port), parameters: parameters);
}
