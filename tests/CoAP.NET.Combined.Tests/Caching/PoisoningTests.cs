using CoAP.NET.Caching;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Caching;

/// <summary>What somebody else sends never gets into the cache.</summary>
public sealed class PoisoningTests : CacheTest
{
    [Fact]
    [Rfc("7252-5.3.2-1")]
    public async Task Responses_that_match_no_request_are_not_stored()
    {
        Task<CoapResponse> task = Client.SendAsync(Get());
        Sent sent = Take(task);
        string token = new([.. sent.Token.Select(digit => digit == '0' ? '1' : '0')]);
        Transport.Receive(s_stranger, $"6445{sent.MessageId}{sent.Token}ff39");
        Transport.Receive(s_server, $"6445{sent.MessageId}{token}ff39");
        Transport.Receive(s_stranger, $"54450001{sent.Token}ff39");
        Transport.Receive(s_server, $"54450002{token}ff39");
        Assert.False(task.IsCompleted);
        Assert.Equal(0, Cache.Count);
        Answer(sent, "45", "ff31");
        await Within(task).Says("1");

        // The request is over; what comes later with its token is a stranger too.
        Transport.Receive(s_server, $"5445abcd{sent.Token}ff39");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff39");
        await HitAsync(Get()).Says("1");
        Assert.Equal(1, Cache.Count);
    }

    [Fact]
    public async Task A_response_that_must_be_rejected_is_not_stored()
    {
        Task<CoapResponse> task = Client.SendAsync(Get());
        Answer(Take(task), "45", "d1f601ff39"); // option 259 is critical and unknown
        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(task));
        await AskAsync(Get(), "45", "ff31");
        await HitAsync(Get()).Says("1");
    }

    /// <summary>A server that asks a device for another host's URI.</summary>
    public sealed class OfPeers : EndpointTest
    {
        [Fact]
        public async Task A_response_from_a_peer_for_the_URI_of_another_host_answers_requests_to_that_peer_only()
        {
            Options.Cache = new CoapCache();
            TaskCompletionSource<CoapPeer> met = new();
            Server.MapGet("/hello", request =>
            {
                met.TrySetResult(request.Peer);
                return CoapResults.Text("hi");
            });
            await StartAsync();
            Transport.Receive(Peer, "40010001b568656c6c6f");
            CoapPeer peer = await Within(met.Task);
            Transport.TakeSent();

            Task<CoapResponse> lie = peer.GetAsync("coap://192.0.2.9/x");
            string sent = Assert.Single(Transport.TakeSent());
            Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff39");
            await Within(lie);
            Assert.True((await Within(peer.GetAsync("coap://192.0.2.9/x"))).FromCache);

            Task<CoapResponse> truth = Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/x"));
            sent = Assert.Single(Transport.TakeSent());
            Transport.Receive(CoapAddress.FromIPv4(0xc0000209, 5683), $"6445{sent[4..8]}{sent[8..16]}ff31");
            await Within(truth).Says("1");
        }

        [Fact]
        public async Task Responses_to_a_path_sent_to_a_peer_are_cached_for_that_peer_only()
        {
            Options.Cache = new CoapCache();
            List<CoapPeer> met = [];
            Server.MapGet("/hello", request =>
            {
                met.Add(request.Peer);
                return CoapResults.Text("hi");
            });
            await StartAsync();
            Transport.Receive(Peer, "40010001b568656c6c6f");
            Transport.Receive(Other, "40010001b568656c6c6f");
            Transport.TakeSent();
            Task<CoapResponse> one = met[0].GetAsync("/3/0");
            string sent = Assert.Single(Transport.TakeSent());
            Transport.Receive(Peer, $"6445{sent[4..8]}{sent[8..16]}ff31");
            await Within(one);
            Task<CoapResponse> other = met[1].GetAsync("/3/0");
            sent = Assert.Single(Transport.TakeSent());
            Transport.Receive(Other, $"6445{sent[4..8]}{sent[8..16]}ff32");
            await Within(other).Says("2");
            await Within(met[0].GetAsync("/3/0")).Says("1");
            Transport.HasSentNothing();
        }
    }
}
