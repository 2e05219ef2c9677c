using CoAP.NET.Caching;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Caching;

/// <summary>A client with a cache on virtual time. Requests are answered by the test, or from the cache.</summary>
public abstract class CacheTest : ClientTest
{
    protected const string Uri = "coap://192.0.2.1/x";

    private protected CacheTest() => Options.Cache = Cache = new CoapCache();

    private protected CoapCache Cache { get; set; }

    private protected static CoapRequest Get(string uri = Uri, CoapCacheMode mode = CoapCacheMode.Default) =>
        new(CoapMethod.Get, uri) { CacheMode = mode };

    private protected static CoapRequest Put(string uri = Uri) => new(CoapMethod.Put, uri) { Content = CoapContent.Text("on") };

    /// <summary>A request that must go to the server.</summary>
    /// <param name="request">The request.</param>
    /// <param name="code">The code of the response, in hexadecimal digits.</param>
    /// <param name="rest">Its options and payload.</param>
    private protected async Task<(Sent Sent, CoapResponse Response)> AskAsync(CoapRequest request, string code, string rest = "")
    {
        Task<CoapResponse> task = Client.SendAsync(request);
        Sent sent = Take(task);
        Answer(sent, code, rest);
        return (sent, await Within(task));
    }

    /// <summary>A request that must be answered without a message.</summary>
    private protected async Task<CoapResponse> HitAsync(CoapRequest request)
    {
        Task<CoapResponse> task = Client.SendAsync(request);
        Transport.HasSentNothing();
        CoapResponse response = await Within(task);
        Assert.True(response.FromCache);
        return response;
    }

    private protected Sent Take(Task request)
    {
        string[] sent = Transport.TakeSent();
        Assert.True(sent.Length == 1, $"{sent.Length} datagrams; the request is {request.Status}");
        return new Sent(sent[0]);
    }

    private protected void Answer(Sent sent, string code, string rest) =>
        Transport.Receive(s_server, $"64{code}{sent.MessageId}{sent.Token}{rest}");

    private protected void Pass(double seconds) => Clock.Advance(FromSeconds(seconds));
}
