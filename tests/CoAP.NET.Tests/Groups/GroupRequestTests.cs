using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Groups;

/// <summary>A client that asks a group (RFC 7252 section 8.2).</summary>
public sealed class GroupRequestTests : ClientTest
{
    private const string Uri = "coap://224.0.1.187/x?y";
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe00001bb, 5683);
    private static readonly CoapAddress s_odd = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[2001:db8::7]:61616"));

    [Fact]
    [Rfc("7252-8.2-3", "7252-8.2-4", "gc-3.1.4-1", "7252-8.2.1-1", "gc-3.1.1-1")]
    public async Task Each_group_member_answers_from_its_own_address()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Sent sent = new(Wire.Hex(bytes));
        Assert.Equal(s_group, remote);
        Assert.Equal($"5601{sent.MessageId}{sent.Token}b1784179", sent.Hex);
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Clock.Advance(FromSeconds(4));
        Transport.Receive(s_stranger, $"56450001{sent.Token}ff62");
        Transport.Receive(s_odd, $"56450001{sent.Token}ff63");
        Clock.Advance(FromSeconds(5));
        Assert.False(answers.IsCompleted);
        EndRequests();
        List<CoapGroupResponse> all = await Within(answers);
        Assert.Equal(["a", "b", "c"], all.Select(answer => answer.Response.GetText()));
        Assert.Equal([s_server, s_stranger, s_odd], all.Select(answer => answer.Peer.Address));
        Assert.Equal(["coap://192.0.2.1/x?y", "coap://192.0.2.9/x?y", "coap://[2001:db8::7]:61616/x?y"],
            all.Select(answer => $"{answer.Uri}"));
        Assert.All(all, answer => Assert.Null(answer.Error));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-8.2-4")]
    public async Task The_URI_of_a_link_local_member_can_be_used_for_further_requests()
    {
        Task<List<CoapGroupResponse>> answers = Collect("coap://[ff02::fd%251]/x");
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(1u, remote.ScopeId);
        CoapAddress member = CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[fe80::7%1]:5683"));
        Transport.Receive(member, $"56450001{new Sent(Wire.Hex(bytes)).Token}ff61");
        EndRequests();
        string uri = Assert.Single(await Within(answers)).Uri.ToString();
        Assert.Equal("coap://[fe80::7%251]/x", uri);
        _ = Client.GetAsync(uri);
        Assert.Equal(member, Assert.Single(Transport.TakeAll()).Remote);
    }

    [Fact]
    [Rfc("7252-8.2-3", "gc-3.1.4-1")]
    public async Task Responses_reach_a_group_request_whatever_shard_their_members_belong_to()
    {
        Options.Transports.Shards = 4;
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        Sent sent = TakeOne();
        CoapAddress[] members = [.. Enumerable.Range(1, 40).Select(i => CoapAddress.FromIPv4(0xc0000200 + (uint)i, (ushort)(5000 + i)))];
        foreach (CoapAddress member in members)
        {
            Transport.Receive(member, $"56450001{sent.Token}ff61");
        }

        EndRequests();
        Assert.Equal(members, (await Within(answers)).Select(answer => answer.Response.Remote));
        Assert.True(members.Select(Transport.Context.ShardOf).Distinct().Count() > 1);
    }

    [Fact]
    [Rfc("gc-3.1.4-1", "7252-5.3.2-1")]
    public async Task A_response_with_another_token_or_to_a_group_address_does_not_answer_a_group_request()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        Sent sent = TakeOne();
        Transport.Receive(s_server, "56450001010203040506ff61");
        Transport.Receive(s_server, "50450002ff61");
        Transport.Receive(s_server, $"56450003{sent.Token}ff61", s_group);
        EndRequests();
        Assert.Empty(await Within(answers));
        Assert.Equal(3, Client.Endpoint.Counters[CoapCounter.UnmatchedResponses]);
    }

    [Theory]
    [Rfc("gc-3.1.6-1")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_duplicate_group_response_is_dropped_and_a_repeated_response_is_returned_only_on_request(bool wanted)
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri, new CoapGroupRequestOptions { IncludeRepeated = wanted });
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Transport.Receive(s_server, $"56450002{sent.Token}ff62");
        EndRequests();
        Assert.Equal(wanted ? "ab" : "a", string.Concat((await Within(answers)).Select(answer => answer.Response.GetText())));
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.Duplicates]);
        Assert.Equal(wanted ? 0 : 1, Client.Endpoint.Counters[CoapCounter.RepeatedGroupResponses]);
    }

    [Fact]
    public async Task A_Confirmable_group_response_is_acknowledged_and_an_invalid_one_is_rejected()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"46450001{sent.Token}ff61");
        Transport.HasSent("60000001");
        Transport.Receive(s_stranger, $"46450002{sent.Token}d100ff");
        Transport.HasSent("70000002");
        EndRequests();
        Assert.Equal(s_server, Assert.Single(await Within(answers)).Response.Remote);
    }

    [Theory]
    [Rfc("7252-8.1-1", "gc-3.1.1-1", "gc-3.4-1")]
    [InlineData("coap://224.0.1.187/x", true, "Confirmable")]
    [InlineData("coap://[ff02::fd]/x", true, "Confirmable")]
    [InlineData("coaps://[ff02::fd]/x", false, "coaps")]
    [InlineData("coap+tcp://224.0.1.187/x", false, "coap+tcp")]
    [InlineData("coap://192.0.2.1/x", false, "SendAsync")]
    [InlineData("coap://224.0.1.187:0/x", false, "port 0")]
    public void A_request_that_cannot_be_sent_to_a_group_is_refused_before_sending(string uri, bool confirmable, string mentioned)
    {
        ArgumentException error = Assert.Throws<ArgumentException>(
            () => { Client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, uri) { Confirmable = confirmable }); });
        error.Mentions(mentioned);
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-8.1-1")]
    public async Task A_unicast_request_to_a_group_fails_and_the_error_names_SendToGroupAsync()
    {
        await Assert.ThrowsAsync<CoapException>(() => Within(Client.GetAsync("coap://224.0.1.187/x")));
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Client.GetAsync("coap://[ff02::fd]/x")));
        error.Mentions(nameof(CoapClient.SendToGroupAsync));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("gc-3.1.5-1")]
    public async Task A_late_group_response_is_counted_and_its_token_is_never_reused()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        Sent first = TakeOne();
        EndRequests();
        Assert.Empty(await Within(answers));
        Clock.Advance(FromSeconds(190));
        HashSet<string> tokens = [first.Token];
        for (int i = 0; i < 50; i++)
        {
            Task<List<CoapGroupResponse>> next = Collect(Uri);
            Sent sent = TakeOne();
            Assert.True(tokens.Add(sent.Token));
            Transport.Receive(s_server, $"5645{i:x4}{first.Token}ff61");
            EndRequests();
            Assert.Empty(await Within(next));
        }

        Assert.Equal(50, Client.Endpoint.Counters[CoapCounter.LateResponses] + Client.Endpoint.Counters[CoapCounter.UnmatchedResponses]);
        Assert.True(Client.Endpoint.Counters[CoapCounter.LateResponses] > 20);
        Transport.Receive(s_stranger, $"46450001{tokens.Last()}ff61");
        Transport.HasSent("70000001");
    }

    [Fact]
    [Rfc("7252-8.1-4")]
    public async Task Message_IDs_of_group_requests_and_unicast_requests_never_overlap()
    {
        Options.Parameters = new() { NStart = 5000, ProbingRate = double.PositiveInfinity };
        using CancellationTokenSource cancel = new();
        for (int i = 0; i < 3000; i++)
        {
            _ = Client.SendAsync(new CoapRequest(CoapMethod.Get, $"coap://192.0.2.{i % 50}/x") { Confirmable = false }, cancel.Token);
            if (i % 10 == 0)
            {
                _ = Collect($"coap://224.0.1.{i % 100}/x", cancellationToken: cancel.Token);
            }
        }

        ILookup<bool, string> ids = Transport.TakeAll().ToLookup(sent => sent.Remote.IsMulticast, sent => Wire.Hex(sent.Bytes)[4..8]);
        Assert.Equal(300, ids[true].Distinct().Count());
        Assert.Equal(3000, ids[false].Count());
        Assert.Empty(ids[true].Intersect(ids[false]));
        await cancel.CancelAsync();
    }

    [Fact]
    public async Task The_number_of_unread_group_responses_is_bounded()
    {
        await using IAsyncEnumerator<CoapGroupResponse> answers = Ask(Uri, new CoapGroupRequestOptions { MaxResponses = 2 })
            .GetAsyncEnumerator();
        ValueTask<bool> more = answers.MoveNextAsync();
        Sent sent = TakeOne();
        for (int i = 0; i < 5; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0xc0000200 + (uint)i, 5683), $"56450001{sent.Token}ff61");
        }

        Assert.True(await Within(more.AsTask()));
        Assert.True(await Within(answers.MoveNextAsync().AsTask()));
        EndRequests();
        Assert.False(await Within(answers.MoveNextAsync().AsTask()));
        Assert.Equal(3, Client.Endpoint.Counters[CoapCounter.GroupResponsesDropped]);
    }

    [Fact]
    public async Task The_number_of_concurrent_group_requests_is_bounded()
    {
        Options.Limits.Requests.MaxGroupRequests = 2;
        Options.Parameters = new() { NStart = 10 };
        using CancellationTokenSource cancel = new();
        Task<List<CoapGroupResponse>> first = Collect(Uri);
        Task<List<CoapGroupResponse>> second = Collect(Uri, cancellationToken: cancel.Token);
        await Failure.OfAsync(CoapError.Busy, () => Within(Collect(Uri)));
        Assert.Equal(2, Transport.TakeSent().Length);
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(second));
        Task<List<CoapGroupResponse>> third = Collect(Uri);
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        EndRequests();
        Assert.Empty(await Within(first));
        Assert.Single(await Within(third));
    }

    [Fact]
    public async Task Leaving_the_enumeration_ends_the_group_request()
    {
        Task<CoapGroupResponse> first = First();
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Assert.Equal(s_server, (await Within(first)).Response.Remote);
        Transport.Receive(s_stranger, $"56450001{sent.Token}ff61");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.LateResponses]);

        async Task<CoapGroupResponse> First()
        {
            await foreach (CoapGroupResponse answer in Ask(Uri))
            {
                return answer;
            }

            throw new InvalidOperationException("none");
        }
    }

    [Fact]
    public async Task A_group_request_without_a_Timeout_accepts_responses_for_NON_LIFETIME()
    {
        Task<List<CoapGroupResponse>> answers = CollectAsync(Client.GetFromGroupAsync(Uri));
        Sent sent = TakeOne();
        Clock.Advance(FromSeconds(144));
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Clock.Advance(FromSeconds(2));
        Assert.Single(await Within(answers));
    }

    [Fact]
    public async Task Stopping_the_endpoint_fails_a_group_request()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        await Client.Endpoint.StopAsync();
        await Assert.ThrowsAsync<CoapException>(() => Within(answers));
        await Assert.ThrowsAsync<CoapException>(() => Within(Collect(Uri)));
    }

    [Fact]
    [Rfc("7959-2.8-1", "gc-3.8-1")]
    public async Task The_rest_of_a_large_group_response_is_fetched_by_unicast()
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri);
        Sent sent = TakeOne();
        TaskCompletionSource<(CoapAddress Remote, byte[] Bytes)> unicast = new(RunContinuationsAsynchronously);
        Transport.OnSent = (remote, bytes) => unicast.TrySetResult((remote, bytes));
        Transport.Receive(s_server, $"56450001{sent.Token}d10a08ff" + string.Concat(Enumerable.Repeat("61", 16))); // Block2 0/1/16
        (CoapAddress remote, byte[] bytes) = await Within(unicast.Task);
        Sent second = new(Wire.Hex(bytes));
        Assert.Equal(s_server, remote);
        Assert.Equal((0, 1), (second.Type, second.Code));
        Assert.NotEqual(sent.Token, second.Token);
        Transport.Receive(s_server, $"6{second.Hex[1]}45{second.MessageId}{second.Token}d10a10ff77686f6c65");
        EndRequests();
        CoapGroupResponse answer = Assert.Single(await Within(answers));
        Assert.Equal("aaaaaaaaaaaaaaaawhole", answer.Response.GetText());
        Assert.Null(answer.Error);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_group_response_whose_rest_cannot_be_fetched_is_returned_with_its_first_block_and_an_error(bool fetches)
    {
        Task<List<CoapGroupResponse>> answers = Collect(Uri, new CoapGroupRequestOptions { FetchWhole = fetches });
        Sent sent = TakeOne();
        TaskCompletionSource<string> unicast = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => unicast.TrySetResult(Wire.Hex(bytes));
        Transport.Receive(s_server, $"56450001{sent.Token}d10a08ff" + string.Concat(Enumerable.Repeat("61", 16)));
        if (fetches)
        {
            Transport.Receive(s_server, $"7000{(await Within(unicast.Task))[4..8]}");
        }

        EndRequests();
        CoapGroupResponse answer = Assert.Single(await Within(answers));
        Assert.Equal(new string('a', 16), answer.Response.GetText());
        Assert.Equal(fetches, answer.Error is CoapException { Error: CoapError.Reset });
        Assert.NotNull(answer.Error);
    }

    [Fact]
    public async Task DiscoverGroupAsync_returns_the_links_of_each_member()
    {
        Task<List<CoapGroupMemberLinks>> links =
            CollectAsync(Client.DiscoverGroupAsync("coap://224.0.1.187/ignored", "rt=a", FromSeconds(10)));
        Sent sent = TakeOne();
        sent.Hex.Ends($"{sent.Token}bb2e77656c6c2d6b6e6f776e04636f72654472743d612128");
        Transport.Receive(s_server, $"56450001{sent.Token}c128ff3c2f613e"); // </a>
        Transport.Receive(s_stranger, $"56450001{sent.Token}c128ff3c"); // no link-format
        Transport.Receive(s_odd, $"56840001{sent.Token}");
        EndRequests();
        CoapGroupMemberLinks found = Assert.Single(await Within(links));
        Assert.Equal("/a", Assert.Single(found.Links).Target);
        Assert.Equal((new CoapUri("coap://192.0.2.1/.well-known/core"), s_server), (found.Uri, found.Peer.Address));
    }

    [Fact]
    public async Task A_host_name_that_resolves_to_a_multicast_address_is_a_group()
    {
        Options.Transports.ResolveHost = (name, _) =>
            Task.FromResult(new[] { IPAddress.Parse("192.0.2.1"), IPAddress.Parse(name == "all.example" ? "224.0.1.187" : "192.0.2.2") });
        _ = Collect("coap://all.example/x");
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_group, remote);
        Wire.Hex(bytes).Mentions("3b616c6c2e6578616d706c65");
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Collect("coap://one.example/x")));
        error.Mentions("not a group");
    }

    [Fact]
    [Rfc("7641-3.4-1", "7641-3.6-1")]
    public async Task Group_members_are_observed_until_the_enumeration_is_cancelled()
    {
        CoapRequest request = new(CoapMethod.Get, Uri) { Confirmable = false };
        request.Options.Observe = 0;
        using CancellationTokenSource stop = new();
        await using IAsyncEnumerator<CoapGroupResponse> answers = Client.SendToGroupAsync(request, cancellationToken: stop.Token)
            .GetAsyncEnumerator();
        Task<bool> next = answers.MoveNextAsync().AsTask();
        string token = TakeOne().Token;

        async Task AssertNext(CoapAddress member, string text)
        {
            Assert.True(await Within(next));
            Assert.Equal((member, text), (answers.Current.Peer.Address, answers.Current.Response.GetText()));
            next = answers.MoveNextAsync().AsTask();
        }

        // The answers, then notifications of both, each in its own order; one that was overtaken is acknowledged and not given.
        Transport.Receive(s_server, $"56450001{token}6105ff30");
        await AssertNext(s_server, "0");
        Transport.Receive(s_odd, $"56450001{token}6109ff61");
        await AssertNext(s_odd, "a");
        Transport.Receive(s_server, $"46450002{token}6107ff32");
        await AssertNext(s_server, "2");
        Transport.Receive(s_server, $"46450003{token}6106ff31");
        Transport.Receive(s_odd, $"56450002{token}610aff62");
        await AssertNext(s_odd, "b");
        Transport.HasSent("60000002", "60000003");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.NotificationsOutOfOrder]);

        // It has no end of its own; afterwards members are told that nobody observes them.
        Clock.Advance(FromHours(1));
        Assert.False(next.IsCompleted);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(next));
        Transport.Receive(s_server, $"46450009{token}6108ff33");
        Transport.Receive(s_odd, $"56450009{token}610bff63");
        Transport.HasSent("70000009", "70000009");
    }

    [Fact]
    public async Task A_group_request_that_cannot_be_sent_fails_and_a_host_name_tries_its_next_group()
    {
        Options.Transports.ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.Parse("ff02::fd"), IPAddress.Parse("224.0.1.187") });
        Transport.OnSent = (remote, bytes) =>
        {
            if (!remote.IsIPv4)
            {
                CoapDatagram refused = new(bytes.Length) { Length = bytes.Length, Remote = remote, Transport = Transport };
                bytes.CopyTo(refused.Buffer, 0);
                Transport.Context.SendFailed(refused, new SocketException((int)SocketError.AddressFamilyNotSupported));
            }
        };
        CoapException error = await Failure.OfAsync(CoapError.SendFailed, () => Within(Collect("coap://[ff02::fd]/x")));
        Assert.Equal(SocketError.AddressFamilyNotSupported, Assert.IsType<CoapConnectionException>(error).SocketError);
        Transport.TakeSent();
        _ = Collect("coap://both.example/x");
        Assert.Equal([true, false], Transport.TakeAll().Select(sent => !sent.Remote.IsIPv4));
    }

    private IAsyncEnumerable<CoapGroupResponse> Ask(string uri, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default) =>
            Client.GetFromGroupAsync(uri, FromSeconds(10), options, cancellationToken);

    private Task<List<CoapGroupResponse>> Collect(string uri, CoapGroupRequestOptions? options = null,
        CancellationToken cancellationToken = default) =>
            CollectAsync(Ask(uri, options, cancellationToken));

    // A little longer than their time: the wheel turns in steps.
    private void EndRequests() => Clock.Advance(FromSeconds(11));

    // Runs until the request is sent.
    private static async Task<List<T>> CollectAsync<T>(IAsyncEnumerable<T> answers)
    {
        List<T> all = [];
        await foreach (T answer in answers)
        {
            all.Add(answer);
        }

        return all;
    }
}
