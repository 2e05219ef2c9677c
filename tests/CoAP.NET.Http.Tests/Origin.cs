using System.Collections.Concurrent;

namespace CoAP.NET.Http.Tests;

/// <summary>A CoAP server at a free port of the loopback address, and an <see cref="HttpClient"/> that asks it.</summary>
public abstract class Origin : IAsyncDisposable
{
    private readonly CoapClient _coap = new();

    protected Origin()
    {
        Server.Listen("coap://127.0.0.1:0");
        Server.Listen("coap+tcp://127.0.0.1:0");
        Server.MapGet("/text", () => "hello");
        Server.Map("/code/{code}", Enum.GetValues<CoapMethod>(), Answer);
        Server.Map("/seen", Enum.GetValues<CoapMethod>(), (CoapRequestContext request) =>
        {
            Seen.Enqueue(request);
            return CoapResults.Status(request.Method is CoapMethod.Get or CoapMethod.Fetch ? CoapCode.Content : CoapCode.Changed);
        });
        Handler = new CoapHttpMessageHandler(_coap);
        Client = new HttpClient(Handler);
    }

    protected CoapServer Server { get; } = new();

    protected CoapHttpMessageHandler Handler { get; }

    protected HttpClient Client { get; }

    protected CoapClient Coap => _coap;

    protected ConcurrentQueue<CoapRequestContext> Seen { get; } = [];

    protected string Address => Server.LocalEndpoints.First(uri => uri.Scheme == "coap").Origin();

    protected string TcpAddress => Server.LocalEndpoints.First(uri => uri.Scheme == "coap+tcp").Origin();

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _coap.DisposeAsync();
        await Server.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    protected CoapOptionCollection LastOptions()
    {
        Assert.True(Seen.TryDequeue(out CoapRequestContext? request));
        return request.Options;
    }

    protected async Task<HttpResponseMessage> SendAsync(
        string method, string path, HttpContent? content = null, Action<HttpRequestMessage>? change = null, string? address = null)
    {
        await Server.StartAsync();
        using HttpRequestMessage request = new(new HttpMethod(method), (address ?? Address) + path) { Content = content };
        change?.Invoke(request);
        HttpResponseMessage response = await Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        response.RequestMessage = request;
        return response;
    }

    private static CoapResult Answer(CoapRequestContext request)
    {
        CoapResult result = CoapResults.Status(CoapCode.Parse(request.Route["code"]), request.TryGetQuery("text", out string? text)
            ? Encoding.UTF8.GetBytes(text) : default);
        if (request.TryGetQuery("age", out string? age))
        {
            result = result.With(new MaxAgeOption(uint.Parse(age)));
        }

        if (request.TryGetQuery("location", out string? location))
        {
            result = result.WithLocation(location);
        }

        if (request.TryGetQuery("format", out string? format))
        {
            result = result.With(new ContentFormatOption(CoapContentFormat.FromInt32(int.Parse(format))));
        }

        return result;
    }
}
