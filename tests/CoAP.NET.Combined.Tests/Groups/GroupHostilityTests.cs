using System.Threading.Channels;
using CoAP.NET.Caching;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Groups;

/// <summary>Members of a group that mean ill, and requests that no group can serve.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class GroupHostilityTests : ClientTest
{
    private const string Uri = "coap://224.0.1.187/x";

    [Fact]
    public void A_group_request_with_a_stream_or_a_download_option_is_refused_before_sending()
    {
        using MemoryStream stream = new([1]);
        Assert.Throws<ArgumentException>(
            () => { Client.SendToGroupAsync(new CoapRequest(CoapMethod.Get, Uri) { Confirmable = false, Destination = stream }); });
        Assert.Throws<ArgumentException>(
            () =>
            {
                Client.SendToGroupAsync(
                new CoapRequest(CoapMethod.Get, Uri) { Confirmable = false, Download = new CoapDownloadOptions { Offset = 1 } });
            });
        Assert.Throws<ArgumentException>(
            () =>
            {
                Client.SendToGroupAsync(
                new CoapRequest(CoapMethod.Put, Uri) { Confirmable = false, Content = CoapContent.Stream(stream) });
            });
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7959-2.8-1")]
    public async Task A_member_that_answers_in_endless_blocks_delays_the_other_members_no_longer_than_the_Timeout()
    {
        Options.Cache = new CoapCache();
        Channel<(CoapAddress Remote, byte[] Bytes)> sent = Channel.CreateUnbounded<(CoapAddress, byte[])>();
        Transport.OnSent = (remote, bytes) => sent.Writer.TryWrite((remote, bytes));
        CoapRequest request = new(CoapMethod.Get, Uri) { Confirmable = false, Timeout = FromSeconds(10) };
        request.Options.NoResponse = CoAP.NET.NoResponseClasses.ServerError;
        Task<List<CoapGroupResponse>> answers = CollectAsync(Client.SendToGroupAsync(request));
        string token = new Sent(Wire.Hex((await Within(sent.Reader.ReadAsync().AsTask())).Bytes)).Token;
        string payload = string.Concat(Enumerable.Repeat("61", 16));
        Transport.Receive(s_server, $"56450001{token}d10a08ff{payload}");
        Transport.Receive(s_stranger, $"56450001{token}ff62");
        int blocks = 0;
        while (true)
        {
            Task<(CoapAddress Remote, byte[] Bytes)> next = sent.Reader.ReadAsync().AsTask();
            if (await Within(Task.WhenAny(answers, next)) == answers)
            {
                break;
            }

            (CoapAddress remote, byte[] bytes) = await next;
            Sent asked = new(Wire.Hex(bytes));
            Assert.Equal(s_server, remote);
            CoapMessage message = CoAP.NET.CoapDatagramSerializer.Default.Deserialize(bytes);
            Assert.Null(message.Options.NoResponse);
            int number = message.Options.Block2!.Value.Number;
            blocks++;
            Clock.Advance(FromSeconds(1));
            Assert.InRange(blocks, 1, 12);
            Transport.Receive(s_server,
                $"64 45 {asked.MessageId} {asked.Token} d2 0a {(number << 4) | 8:x4} ff {payload}".Replace(" ", string.Empty,
                    Ordinal));
        }

        List<CoapGroupResponse> all = await Within(answers);
        Assert.Equal([s_server, s_stranger], all.Select(answer => answer.Response.Remote));
        Assert.IsType<CoapTimeoutException>(all[0].Error);
        Assert.Equal("b", all[1].Response.GetText());
        Assert.Equal(0, ((CoapCache)Options.Cache!).Count);
        Assert.Equal(0, Client.Endpoint.Pipelines[0].Channels.All().Sum(channel => channel.Pins));
    }

    private static async Task<List<CoapGroupResponse>> CollectAsync(IAsyncEnumerable<CoapGroupResponse> answers)
    {
        List<CoapGroupResponse> all = [];
        await foreach (CoapGroupResponse answer in answers)
        {
            all.Add(answer);
        }

        return all;
    }
}
