using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Groups;

/// <summary>A server that is asked by way of a group (RFC 7252 section 8.2).</summary>
public sealed class GroupServingTests : EndpointTest
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe00001bb, 5683);
    private static readonly CoapAddress s_allNodes = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[ff02::1]:5683"));
    private int _messageId = 0x1000;

    [Fact]
    [Rfc("7252-8.2-1", "7252-8.1-2")]
    public async Task Group_requests_get_Non_confirmable_answers_spread_over_the_leisure_and_unicast_requests_immediate_ones()
    {
        Server.MapGet("/x", () => "x").AllowMulticast();
        await StartAsync();
        for (int i = 0; i < 20; i++)
        {
            Ask("b178");
        }

        Transport.HasSentNothing();
        Exchange("41010001aab178").Begins("6145");
        List<string> first = PassSeconds(2.5);
        List<string> second = PassSeconds(2.5);
        Assert.Equal(20, first.Count + second.Count);
        Assert.InRange(first.Count, 3, 17);
        Assert.All(first.Concat(second), answer => answer.Begins("5145"));
        Assert.Equal(20, first.Concat(second).Select(answer => answer[4..8]).Distinct().Count());
        Assert.Empty(PassSeconds(600));
    }

    [Fact]
    [Rfc("7252-8.2-1")]
    public async Task The_leisure_is_computed_from_GroupSize_and_ResponseRate()
    {
        // 51 45 mid token, c0, ff, 10 bytes: an answer of 17 bytes; 17 * 1,000 / 17,000 is one second.
        Server.JoinGroups(new CoapGroupOptions { GroupSize = 1000, ResponseRate = 17_000 });
        Server.MapGet("/x", () => "0123456789").AllowMulticast();
        await StartAsync();
        for (int i = 0; i < 20; i++)
        {
            Ask("b178");
        }

        List<string> first = PassSeconds(0.5);
        Assert.All(first, answer => Assert.Equal(2 * 17, answer.Length));
        Assert.InRange(first.Count, 3, 17);
        Assert.Equal(20 - first.Count, PassSeconds(0.5).Count);
    }

    [Fact]
    [Rfc("7252-11.3-2")]
    public async Task Only_routes_with_AllowMulticast_answer_a_group_request()
    {
        int calls = 0;
        Server.MapGet("/x", () => $"{calls++}");
        Server.MapGroup("/g").AllowMulticast().MapGet("/y", () => "y");
        Server.MapGroup("/h").AllowMulticast().MapGet("/z", () => $"{calls++}").AllowMulticast(false);
        await StartAsync();
        Assert.Empty(AskAndWait("b178"));
        Assert.Empty(AskAndWait("b168017a"));
        Assert.Equal(0, calls);
        Assert.Single(AskAndWait("b1670179")).Ends("79");
        Assert.Equal(2, Server.Counters[CoapCounter.GroupAnswersKeptBack]);
    }

    [Theory]
    [Rfc("7252-8.2-2", "gc-3.1.2-1")]
    [InlineData("b7756e6b6e6f776e", 1)] // 4.04
    [InlineData("b178", 2)] // 4.05
    [InlineData("b3626164", 1)] // the handler answers 4.00
    [InlineData("b46661696c", 1)] // the handler throws
    [InlineData("b5656d707479", 1)] // nothing to say
    [InlineData("b17821ff", 1)] // an unknown critical option, 4.02
    [InlineData("d916636f61703a2f2f682f", 1)] // Proxy-Uri, 5.05
    public async Task Errors_and_empty_responses_to_group_requests_are_not_sent(string options, byte code)
    {
        Map();
        await StartAsync();
        for (int i = 0; i < 3; i++)
        {
            Assert.Empty(AskAndWait(options, code));
        }

        Assert.Equal(3, Server.Counters[CoapCounter.GroupAnswersKeptBack]);
    }

    [Fact]
    [Rfc("gc-3.1.2-1", "7252-8.2-2")]
    public async Task WithAnswerToGroup_forces_or_forbids_the_answer_to_a_group_request()
    {
        Server.MapGet("/x", () => CoapResults.NotFound().WithAnswerToGroup()).AllowMulticast();
        Server.MapGet("/y", () => CoapResults.Text("y").WithAnswerToGroup(false)).AllowMulticast();
        await StartAsync();
        Assert.Single(AskAndWait("b178")).Begins("5184");
        Assert.Empty(AskAndWait("b179"));
        Exchange("41010001aab179").Begins("6145");
    }

    [Theory]
    [Rfc("gc-3.9-1", "6690-4.1-3", "7252-8.2-2")]
    [InlineData(true, "", 1)]
    [InlineData(true, "4472743d61", 1)] // ?rt=a
    [InlineData(true, "4672743d6e6f6e", 0)] // ?rt=non
    [InlineData(false, "", 0)]
    public async Task Well_known_core_answers_group_requests_with_a_match_only_if_the_server_joined_groups(
        bool joins, string query, int answers)
    {
        if (joins)
        {
            Server.JoinGroups();
        }

        Server.MapGet("/a", () => "a").WithResourceType("a");
        await StartAsync();
        Assert.Equal(answers, AskAndWait("bb2e77656c6c2d6b6e6f776e04636f7265" + query).Count);
    }

    [Theory]
    [Rfc("7252-8.1-3", "7252-8.1-1")]
    [InlineData("41017d41aab178")] // Confirmable: no acknowledgement either
    [InlineData("51017d41aaff")] // a marker without payload
    [InlineData("59017d41")] // a token that is not there
    [InlineData("50007d41")] // Empty
    [InlineData("51e17d41aa")] // a reserved class
    [InlineData("40007d41")] // a ping
    public async Task Confirmable_and_malformed_messages_to_a_group_are_never_answered(string bytes)
    {
        Map();
        await StartAsync();
        Transport.Receive(Peer, bytes, s_group);
        Transport.Receive(Other, bytes, s_allNodes);
        Assert.Empty(PassSeconds(300));
    }

    [Fact]
    [Rfc("7252-8-1")]
    public async Task A_request_to_All_Nodes_is_a_group_request()
    {
        Map();
        await StartAsync();
        Transport.Receive(Peer, "51010001aab178", s_allNodes);
        Transport.HasSentNothing();
        Assert.Single(PassSeconds(5)).Begins("5145");
    }

    [Fact]
    [Rfc("7252-4.5-2")]
    public async Task A_duplicate_group_request_is_not_answered_again()
    {
        int calls = 0;
        Server.MapGet("/x", () => $"{calls++}").AllowMulticast();
        await StartAsync();
        Transport.Receive(Peer, "51010001aab178", s_group);
        Transport.Receive(Peer, "51010001aab178", s_group);
        Assert.Single(PassSeconds(5));
        Transport.Receive(Peer, "51010001aab178", s_group);
        Assert.Empty(PassSeconds(5));
        Assert.Equal(1, calls);
    }

    [Fact]
    [Rfc("gc-3.2.2-1")]
    public async Task An_ETag_in_a_group_request_is_validated()
    {
        CoapETag tag = new([1, 2]);
        Server.MapGet("/x", request => CoapResults.ValidOr(request, tag, () => CoapResults.Text("x"))).AllowMulticast();
        await StartAsync();
        Assert.Single(AskAndWait("4201027178")).Begins("5143");
        Assert.Single(AskAndWait("4201037178")).Begins("5145");
    }

    [Fact]
    [Rfc("7959-2.8-1", "gc-3.8-1")]
    public async Task A_group_request_for_a_later_block_or_with_Block1_is_ignored()
    {
        Map();
        await StartAsync();
        Assert.Single(AskAndWait("b178c102")); // Block2 0/0/64
        Assert.Empty(AskAndWait("b178c112")); // Block2 1/0/64
        Assert.Empty(AskAndWait("b178d10301", 3)); // PUT with Block1
    }

    [Fact]
    [Rfc("gc-3.1.4-2")]
    public async Task A_peer_first_seen_by_a_group_request_gets_the_local_address_of_its_later_unicast_request()
    {
        Map();
        await StartAsync();
        Ask("b178");
        CoapChannel channel = Assert.Single(Server.Endpoint.Pipelines[0].Channels.All());
        Assert.True(channel.Local.IsAny);
        CoapAddress asked = CoapAddress.FromIPv4(0xc0000264, 5683);
        Transport.Receive(Peer, "41010001aab178", asked);
        Ask("b178");
        Assert.Same(channel, Assert.Single(Server.Endpoint.Pipelines[0].Channels.All()));
        Assert.Equal(asked, channel.Local);
        CoapAddress another = CoapAddress.FromIPv4(0xc0000265, 5683);
        Transport.Receive(Peer, "41010002aab178", another);
        Assert.Equal([asked, another],
            Server.Endpoint.Pipelines[0].Channels.All().Select(found => found.Local).OrderBy(local => local.Low));
    }

    [Fact]
    public async Task The_number_of_delayed_group_responses_is_limited_by_MaxDelayedGroupResponses()
    {
        Options.Limits.Requests.MaxDelayedGroupResponses = 2;
        Map();
        await StartAsync();
        for (int i = 0; i < 5; i++)
        {
            Ask("b178");
        }

        Assert.Equal(2, PassSeconds(5).Count);
        Assert.Equal(3, Server.Counters[CoapCounter.GroupAnswersDropped]);
        Assert.Single(AskAndWait("b178"));
    }

    [Fact]
    public async Task A_group_response_to_another_source_evicts_a_response_to_the_source_with_the_most()
    {
        Options.Limits.Requests.MaxDelayedGroupResponses = 3;
        Map();
        await StartAsync();
        for (int i = 0; i < 5; i++)
        {
            Ask("b178");
        }

        CoapAddress other = CoapAddress.FromIPv4(0xc0000263, 5683);
        List<CoapAddress> answered = [];
        Transport.OnSent = (to, _) => answered.Add(to);
        Transport.Receive(other, "51014001aab178", s_group);
        Assert.Equal(3, Server.Endpoint.Pipelines[0].ExchangesOut.DelayedAnswers);
        Assert.Equal(3, Server.Counters[CoapCounter.GroupAnswersDropped]);
        PassSeconds(5);
        Assert.Equal(3, answered.Count);
        Assert.Single(answered, other);
    }

    [Fact]
    public async Task Delayed_group_responses_are_dropped_when_the_endpoint_stops()
    {
        Map();
        await StartAsync();
        Ask("b178");
        Ask("b178");
        Assert.Equal(2, Server.Endpoint.Pipelines[0].ExchangesOut.DelayedAnswers);
        await Within(Server.StopAsync());
        Assert.Equal(0, Server.Endpoint.Pipelines[0].ExchangesOut.DelayedAnswers);
        Assert.Equal(2, Server.Counters[CoapCounter.GroupAnswersDropped]);
        Assert.Empty(PassSeconds(10));
    }

    [Fact]
    public async Task A_server_with_four_shards_answers_each_group_request_once()
    {
        Options.Transports.Shards = 4;
        Map();
        await StartAsync();
        for (uint i = 0; i < 40; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0xc0000200 + i, 40_000), "51010001aab178", s_group);
        }

        Assert.Equal(40, PassSeconds(5).Count);
    }

    [Fact]
    public void JoinGroups_and_Listen_refuse_invalid_groups()
    {
        Assert.Throws<ArgumentException>(() => Server.JoinGroups(new CoapGroupOptions { Addresses = { IPAddress.Loopback } }));
        CoapGroupOptions none = new();
        none.Addresses.Clear();
        Assert.Throws<ArgumentException>(() => Server.JoinGroups(none));
        Assert.Throws<ArgumentOutOfRangeException>(() => none.GroupSize = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => none.ResponseRate = 0);
        Assert.Throws<ArgumentException>(() => Server.Listen("coap://224.0.1.187"));
    }

    private void Map()
    {
        Server.Routes.AllowMulticast();
        Server.MapGet("/x", () => "x");
        Server.MapGet("/bad", () => CoapResults.BadRequest("no"));
        Server.MapGet("/fail", string () => throw new InvalidOperationException("no"));
        Server.MapGet("/empty", () => "");
    }

    /// <summary>Asks the group, each time as another message; nothing is answered yet.</summary>
    private void Ask(string options, byte code = 1)
    {
        int messageId = ++_messageId;
        Transport.Receive(Peer, $"51{code:x2}{messageId:x4}aa{options}", s_group);
    }

    private List<string> AskAndWait(string options, byte code = 1)
    {
        Ask(options, code);
        return PassSeconds(5);
    }

    private List<string> PassSeconds(double seconds)
    {
        Clock.Advance(FromSeconds(seconds));
        return [.. Transport.TakeSent()];
    }
}
