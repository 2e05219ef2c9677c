using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Observing;

namespace CoAP.NET.Tests.Groups;

/// <summary>Who observes by way of a group (RFC 7641 with RFC 7252 section 8).</summary>
public sealed class GroupObserverTests : ServerObserveTest
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe00001bb, 5683);

    [Fact]
    public async Task A_group_registration_beyond_MaxDelayedGroupResponses_adds_no_observer()
    {
        Options.Limits.Requests.MaxDelayedGroupResponses = 1;
        MapState().AllowMulticast();
        await StartAsync();
        for (ushort port = 1; port <= 5; port++)
        {
            RegisterByGroup(port);
        }

        Assert.Equal(1, Server.ObserverCount);
        Assert.Equal(4, Server.Counters[CoapCounter.GroupAnswersDropped]);
        Pass(6);
        Assert.Single(TakeNew());
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("gc-3.7-0", "7252-8.2-1")]
    public async Task Group_responses_and_notifications_are_spread_over_the_leisure()
    {
        CoapRouteHandlerBuilder route = MapState().AllowMulticast();
        await StartAsync();
        for (ushort port = 1; port <= 40; port++)
        {
            RegisterByGroup(port);
        }

        Assert.Empty(TakeNew());
        Pass(2.5);
        int early = TakeNew().Count;
        Pass(2.6);
        Assert.InRange(early, 8, 32);
        Assert.Equal(40 - early, TakeNew().Count);

        // A change of what a group observes changes many members at once.
        Change(route, "1");
        Assert.InRange(TakeNew().Count, 0, 4);
        Pass(2.5);
        HashSet<ushort> told = [];
        TakeAndAcknowledge(told);
        Assert.InRange(told.Count, 8, 32);
        Pass(2.6);
        TakeAndAcknowledge(told);
        Assert.InRange(told.Count, 36, 40);
    }

    [Fact]
    [Rfc("gc-3.7-2")]
    public async Task An_observer_registered_by_group_request_that_is_gone_is_removed_within_a_day()
    {
        MapState(confirmable: false).AllowMulticast();
        await StartAsync();
        RegisterByGroup(1);
        RegisterByGroup(2);
        Pass(6);
        Assert.Equal(2, TakeNew().Count(sent => sent.Message.Type == CoapMessageType.NonConfirmable));
        HashSet<ushort> told = [];
        for (int second = 0; second < 24 * 3600; second += 60)
        {
            Pass(60);
            foreach ((CoapAddress peer, CoapMessage message) in TakeNew())
            {
                Assert.Equal(CoapMessageType.Confirmable, message.Type);
                told.Add(peer.Port);
                if (peer.Port == 1)
                {
                    Transport.Receive(peer, $"6000{message.MessageId:x4}");
                }
            }
        }

        Assert.Equal(new ushort[] { 1, 2 }, told.Order());
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("gc-3.7-1")]
    public async Task A_Confirmable_registration_with_the_same_token_replaces_the_group_registration()
    {
        CoapRouteHandlerBuilder route = MapState().AllowMulticast();
        await StartAsync();
        RegisterByGroup(1);
        Pass(6);
        TakeNew();
        Transport.Receive(CoapAddress.FromIPv4(0xc0000201, 1), "410170004a60536f6273");
        CoapMessage answer = TakeOne();
        Assert.Equal((CoapMessageType.Acknowledgement, true), (answer.Type, answer.Options.Observe is not null));
        Assert.Equal(1, Server.ObserverCount);
        Change(route, "1");
        Assert.Equal(CoapMessageType.Confirmable, TakeOne().Type);
    }

    private void RegisterByGroup(ushort port) =>
        Transport.Receive(CoapAddress.FromIPv4(0xc0000201, port), $"5101{port:x4}4a60536f6273", s_group);

    private void TakeAndAcknowledge(HashSet<ushort> told)
    {
        foreach ((CoapAddress peer, CoapMessage message) in TakeNew())
        {
            told.Add(peer.Port);
            Transport.Receive(peer, $"6000{message.MessageId:x4}");
        }
    }
}
