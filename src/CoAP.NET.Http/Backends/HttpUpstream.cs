using System.Net;
using System.Net.Http.Headers;
using CoAP.NET.Http.Translating;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http.Backends;

/// <summary>Asks HTTP servers for the clients of a CoAP proxy (RFC 7252 section 10.1).</summary>
internal sealed class HttpUpstream : CoapProxyUpstream
{
    private static readonly string[] s_schemes = ["http", "https"];

    private readonly CoapHttpBackendOptions _options;
    private readonly Lazy<HttpClient> _guarded;
    private readonly Lazy<HttpClient> _own = new(static () => new HttpClient(
        new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, AutomaticDecompression = DecompressionMethods.None }));
    private readonly EntityTagMemory _tags = new();

    public HttpUpstream(CoapHttpBackendOptions options, CoapProxyTargets targets)
    {
        _options = options;
        _guarded = new Lazy<HttpClient>(() => new HttpClient(new GuardedConnector(targets).MakeHandler()));
    }

    public override IReadOnlyCollection<string> Schemes => s_schemes;

    // A server that is told which device asks may answer each one differently.
    public override bool DependsOnClient => _options.Identity is not null;

    public override async Task<CoapResult> SendAsync(CoapProxyRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        using CancellationTokenSource time = new(request.Timeout, _options.TimeProvider);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
        try
        {
            return await AskAsync(request, either.Token).ConfigureAwait(false);
        }
        catch (CoapHttpTranslationException exception)
        {
            return CoapResults.Status(exception.Code, exception.Message);
        }
        catch (CoapContentException exception)
        {
            // The client's own payload: that of the server is judged with its answer.
            return CoapResults.Status(exception.Code, exception.Message);
        }
        catch (HttpRequestException exception) when (exception.InnerException is TargetRefusedException)
        {
            return CoapResults.Status(CoapCode.ProxyingNotSupported, "This proxy does not ask that host.");
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException
            || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            CoapCode code = CoapHttpErrors.CodeOf(exception);
            return CoapResults.Status(code, code == CoapCode.GatewayTimeout ? "The server did not answer in time."
                : "The server cannot be asked.");
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        foreach (Lazy<HttpClient> client in (Lazy<HttpClient>[])[_guarded, _own])
        {
            if (client.IsValueCreated)
            {
                client.Value.Dispose();
            }
        }

        base.Dispose(disposing);
    }

    private static bool IsRedirect(HttpStatusCode status) =>
        status is HttpStatusCode.MovedPermanently or HttpStatusCode.Found or HttpStatusCode.SeeOther
            or HttpStatusCode.TemporaryRedirect or HttpStatusCode.PermanentRedirect;

    private async Task<CoapResult> AskAsync(CoapProxyRequest request, CancellationToken cancellationToken)
    {
        CoapMethod method = (CoapMethod)request.Code.Value;
        Uri target = new(request.Target);
        for (int redirects = 0; ; redirects++)
        {
            using HttpRequestMessage message = CoapToHttpRequest.Translate(
                method, request.Options, request.Payload, target, _options.Translator, _tags);
            AddIdentity(message, request, target);
            HttpClient client = request.Targets is not null ? _guarded.Value : _options.Client?.Invoke() ?? _own.Value;
            using HttpResponseMessage response = await client
                .SendAsync(message, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            response.RequestMessage ??= message;
            if (method == CoapMethod.Get && IsRedirect(response.StatusCode) && redirects < _options.MaxRedirects
                && Next(request, target, response.Headers.Location) is { } next)
            {
                target = next;
                continue;
            }

            return HttpToCoapResult.Translate(
                response,
                await ReadAsync(response.Content, cancellationToken).ConfigureAwait(false),
                method,
                request.Options,
                _options.Translator,
                _tags,
                _options.TimeProvider.GetUtcNow());
        }
    }

    // From a server that was configured to itself; otherwise to whom the proxy may ask, and never from TLS to plain text.
    private static Uri? Next(CoapProxyRequest request, Uri target, Uri? location)
    {
        if (location is null || !Uri.TryCreate(target, location, out Uri? next) || !s_schemes.Contains(next.Scheme)
            || (target.Scheme == "https" && next.Scheme != "https"))
        {
            return null;
        }

        bool isAllowed = request.Targets is { } targets
            ? targets.MayAllow(next.DnsSafeHost)
            : next.GetLeftPart(UriPartial.Authority) == target.GetLeftPart(UriPartial.Authority);
        return isAllowed ? next : null;
    }

    private void AddIdentity(HttpRequestMessage message, CoapProxyRequest request, Uri target)
    {
        if (request.Targets is not null || _options.Identity?.Invoke(request.Received) is not { } device)
        {
            return;
        }

        string token = DeviceToken.Make(device, target, _options.IdentityKey.Span, _options.TimeProvider.GetUtcNow());
        if (_options.IdentityHeader.Equals("Authorization", StringComparison.OrdinalIgnoreCase))
        {
            message.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
        }
        else
        {
            message.Headers.Add(_options.IdentityHeader, token);
        }
    }

    private async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContent content, CancellationToken cancellationToken)
    {
        Stream stream = await content.ReadAsStreamAsync(cancellationToken).ConfigureAwait(false);
        using MemoryStream body = new();
        byte[] buffer = new byte[16 * 1024];
        int read;
        while ((read = await stream.ReadAsync(buffer, cancellationToken).ConfigureAwait(false)) > 0)
        {
            if (body.Length + read > _options.MaxBodySize)
            {
                throw new CoapHttpTranslationException(
                    HttpStatusCode.BadGateway, CoapCode.BadGateway, $"The answer has more than {_options.MaxBodySize} bytes.");
            }

            body.Write(buffer, 0, read);
        }

        return body.ToArray();
    }
}
