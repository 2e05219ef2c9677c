using System.Globalization;
using System.Net;
using CoAP.NET.Http;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace CoAP.NET.AspNetCore.Endpoints;

/// <summary>Presents a CoAP request to ASP.NET Core: a context without an HTTP connection.</summary>
internal sealed class InProcessHttpContext : IAsyncDisposable, IHttpRequestLifetimeFeature, IHttpRequestBodyDetectionFeature,
    IServiceProvidersFeature
{
    private const string Protocol = "CoAP";

    private readonly IHttpContextFactory? _factory;
    private readonly CancellationTokenSource _abort;
    private CancellationTokenSource? _time;
    private CancellationTokenRegistration _timeIsOver;

    private InProcessHttpContext(CoapRequestContext request, HttpRequestMessage message, Stream body, RecordedResponse response,
        IHttpContextFactory? factory, CancellationToken cancellationToken)
    {
        _factory = factory;
        Request = request;
        Message = message;
        Response = response;

        // A handler run for observers must not end with one of them.
        _abort = CancellationTokenSource.CreateLinkedTokenSource(
            cancellationToken, request.IsForObservers ? CancellationToken.None : request.Peer.Disconnected);
        RequestAborted = _abort.Token;
        RequestServices = request.Services!;
        CanHaveBody = body != Stream.Null;
        FeatureCollection features = MakeFeatures(request, message, body, response);
        Context = factory?.Create(features) ?? new DefaultHttpContext(features);
    }

    public CoapRequestContext Request { get; }

    public HttpRequestMessage Message { get; }

    public RecordedResponse Response { get; }

    public HttpContext Context { get; }

    public CancellationToken RequestAborted { get; set; }

    public bool CanHaveBody { get; }

    public IServiceProvider RequestServices { get; set; }

    /// <summary>Whether the client no longer waits for the handler.</summary>
    public bool IsAborted => _abort.IsCancellationRequested;

    /// <summary>Creates the context.</summary>
    /// <param name="request">The request.</param>
    /// <param name="translator">The tables of methods and media types.</param>
    /// <param name="maxResponseSize">The maximum number of bytes of the response.</param>
    /// <param name="factory">The factory of the application; null for none.</param>
    /// <param name="cancellationToken">Canceled when the client no longer waits.</param>
    /// <exception cref="CoapHttpTranslationException">A part of the request has no counterpart in HTTP.</exception>
    /// <exception cref="CoapFormatException">The options do not form a URI.</exception>
    public static InProcessHttpContext Open(CoapRequestContext request, CoapHttpTranslator translator, int maxResponseSize,
        IHttpContextFactory? factory, CancellationToken cancellationToken)
    {
        // The base of Location. System.Uri does not accept the zone of an address, and clients must not see it.
        if (!Uri.TryCreate(request.GetUri().ToString(), UriKind.Absolute, out Uri? target))
        {
            target = new Uri($"{request.Peer.Scheme}://localhost");
        }

        HttpRequestMessage message = translator.ToHttpRequest(request, target, convertsBody: false);
        Stream body = request.IsBodyPending ? Stream.Null
            : !request.Payload.IsEmpty ? new MemoryStream(request.Payload.ToArray(), writable: false)
            : request.ContentFormat is not null ? request.BodyReader.AsStream()
            : Stream.Null;
        return new InProcessHttpContext(request, message, body, new RecordedResponse(maxResponseSize), factory, cancellationToken);
    }

    public void Abort() => _abort.Cancel();

    /// <summary>Converts a CBOR body to JSON.</summary>
    /// <exception cref="CoapContentException">The body is not convertible.</exception>
    public void ConvertBody(CoapHttpTranslator translator)
    {
        using HttpRequestMessage converted = translator.ToHttpRequest(Request, Message.RequestUri!);
        MemoryStream body = new();
        converted.Content!.CopyTo(body, null, RequestAborted);
        body.Position = 0;
        Context.Request.Body = body;
        Context.Request.ContentLength = body.Length;
        Context.Request.ContentType = converted.Content.Headers.GetValues("Content-Type").First();
    }

    public void LimitTime(TimeSpan timeout, TimeProvider clock)
    {
        if (timeout != Timeout.InfiniteTimeSpan)
        {
            _time = new CancellationTokenSource(timeout, clock);
            _timeIsOver = _time.Token.UnsafeRegister(static abort => ((CancellationTokenSource)abort!).Cancel(), _abort);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _timeIsOver.DisposeAsync().ConfigureAwait(false);
        _time?.Dispose();
        try
        {
            await Response.EndAsync().ConfigureAwait(false);
        }
        finally
        {
            _factory?.Dispose(Context);
            Message.Dispose();
            _abort.Dispose();
        }
    }

    private FeatureCollection MakeFeatures(CoapRequestContext request, HttpRequestMessage message, Stream body, RecordedResponse response)
    {
        FeatureCollection features = new();
        features.Set<IHttpRequestFeature>(MakeRequest(request, message, body));
        features.Set<IHttpResponseFeature>(response);
        features.Set<IHttpResponseBodyFeature>(response);
        features.Set<IHttpRequestLifetimeFeature>(this);
        features.Set<IHttpRequestBodyDetectionFeature>(this);
        features.Set(new CoapRequestFeature(request));
        if (request.Services is not null)
        {
            features.Set<IServiceProvidersFeature>(this);
        }

        IPEndPoint remote = request.Peer.Address.ToIPEndPoint();
        IPEndPoint local = request.Peer.LocalAddress.ToIPEndPoint();
        features.Set<IHttpConnectionFeature>(new HttpConnectionFeature
        {
            ConnectionId = request.Peer.ToString(),
            RemoteIpAddress = remote.Address,
            RemotePort = remote.Port,
            LocalIpAddress = local.Address,
            LocalPort = local.Port,
        });

        if (PeerPrincipal.CertificateOf(request) is { } certificate)
        {
            features.Set<ITlsConnectionFeature>(new TlsConnectionFeature { ClientCertificate = certificate });
        }

        return features;
    }

    private HttpRequestFeature MakeRequest(CoapRequestContext request, HttpRequestMessage message, Stream body)
    {
        IHeaderDictionary headers = new HeaderDictionary();
        foreach ((string name, IEnumerable<string> values) in message.Content is { } content ? message.Headers.Concat(content.Headers)
            : message.Headers)
        {
            headers[name] = new StringValues([.. values]);
        }

        headers.Host = message.RequestUri!.Authority;
        if (CanHaveBody && !request.Payload.IsEmpty)
        {
            headers.ContentLength = body.Length;
        }

        string path = PathOf(request);
        string query = QueryOf(request);
        return new HttpRequestFeature
        {
            Protocol = Protocol,
            Scheme = message.RequestUri.Scheme,
            Method = message.Method.Method,
            Path = path,
            QueryString = query,
            RawTarget = new PathString(path).ToUriComponent() + query,
            Headers = headers,
            Body = body,
        };
    }

    // Like web servers: decoded, except for slashes inside a segment.
    private static string PathOf(CoapRequestContext request) =>
        "/" + string.Join('/', request.Options.UriPath.Select(static segment => segment.Replace("/", "%2F", StringComparison.Ordinal)));

    private static string QueryOf(CoapRequestContext request)
    {
        IReadOnlyList<string> arguments = request.Options.UriQuery;
        return arguments.Count == 0 ? string.Empty : "?" + string.Join('&', arguments.Select(Escape));
    }

    private static string Escape(string argument)
    {
        int equals = argument.IndexOf('=', StringComparison.Ordinal);
        return equals < 0
            ? Uri.EscapeDataString(argument)
            : string.Create(CultureInfo.InvariantCulture,
                $"{Uri.EscapeDataString(argument[..equals])}={Uri.EscapeDataString(argument[(equals + 1)..])}");
    }
}
