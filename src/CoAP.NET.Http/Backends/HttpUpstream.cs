using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Http.Translating;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http.Backends;

/// <summary>Asks HTTP servers for the clients of a CoAP proxy (RFC 7252 section 10.1).</summary>
internal sealed class HttpUpstream : CoapProxyUpstream
{
    private static readonly string[] s_schemes = ["http", "https"];
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    private readonly CoapHttpBackendOptions _options;
    private readonly Lazy<HttpClient> _guarded;
    private readonly Lazy<HttpClient> _own = new(static () => new HttpClient(
        new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, AutomaticDecompression = DecompressionMethods.None }));
    private readonly EntityTagMemory _tags = new();
    private readonly CertificateClients _certified;
    private readonly AnswerCache _cache;

    public HttpUpstream(CoapHttpBackendOptions options, CoapProxyTargets targets)
    {
        _options = options;
        _cache = new AnswerCache(options.CacheBytes, options.TimeProvider);
        _certified = new CertificateClients(
            options.MaxCertificateClients, options.CertificateIdleTimeout, options.ConfigureCertificateHandler, options.TimeProvider);
        _guarded = new Lazy<HttpClient>(() => new HttpClient(new GuardedConnector(targets).MakeHandler()));
    }

    public override IReadOnlyCollection<string> Schemes => s_schemes;

    // A server that is told which device asks may answer each one differently.
    public override bool DependsOnClient => _options.Identity is not null || _options.ClientCertificate is not null;

    public override long CacheHits => _cache.Hits;

    public override TimeSpan? PollInterval => _options.PollInterval;

    public override async Task<CoapResult> SendAsync(CoapProxyRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.MayBeShared && request.Code == CoapCode.Get && _cache.Find(request.Target, request.Options.Accept) is { } known)
        {
            return known;
        }

        using CancellationTokenSource time = new(request.Timeout, _options.TimeProvider);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
        try
        {
            X509Certificate2? certificate = request.Targets is null ? _options.ClientCertificate?.Invoke(request.Received) : null;
            if (certificate is null)
            {
                HttpClient client = request.Targets is not null ? _guarded.Value : _options.Client?.Invoke() ?? _own.Value;
                return await AskAsync(request, client, either.Token).ConfigureAwait(false);
            }

            using CertificateClients.Lease? lease = _certified.TryRent(certificate);
            return lease is null
                ? CoapResults.ServiceUnavailable(s_retryAfter)
                : await AskAsync(request, lease.Client, either.Token).ConfigureAwait(false);
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

        _certified.Dispose();
        base.Dispose(disposing);
    }

    private static bool IsRedirect(HttpStatusCode status) =>
        status is HttpStatusCode.MovedPermanently or HttpStatusCode.Found or HttpStatusCode.SeeOther
            or HttpStatusCode.TemporaryRedirect or HttpStatusCode.PermanentRedirect;

    private async Task<CoapResult> AskAsync(CoapProxyRequest request, HttpClient client, CancellationToken cancellationToken)
    {
        CoapMethod method = (CoapMethod)request.Code.Value;
        Uri target = new(request.Target);
        for (int redirects = 0; ; redirects++)
        {
            using HttpRequestMessage message = CoapToHttpRequest.Translate(
                method, request.Options, request.Payload, target, _options.Translator, _tags);
            AddIdentity(message, request, target);
            using HttpResponseMessage response = await client
                .SendAsync(message, HttpCompletionOption.ResponseHeadersRead, cancellationToken).ConfigureAwait(false);
            response.RequestMessage ??= message;
            if (method == CoapMethod.Get && IsRedirect(response.StatusCode) && redirects < _options.MaxRedirects
                && Next(request, target, response.Headers.Location) is { } next)
            {
                target = next;
                continue;
            }

            CoapResult result = HttpToCoapResult.Translate(
                response,
                await ReadAsync(response.Content, cancellationToken).ConfigureAwait(false),
                method,
                request.Options,
                _options.Translator,
                _tags,
                _options.TimeProvider.GetUtcNow());
            Remember(request, response, result);
            return result;
        }
    }

    // What was changed is asked for anew, whoever changed it and whoever had it (RFC 7252 section 5.6).
    private void Remember(CoapProxyRequest request, HttpResponseMessage response, CoapResult result)
    {
        if (!request.Code.IsSafe)
        {
            _cache.Forget(request.Target);
        }
        else if (request.MayBeShared && request.Code == CoapCode.Get && response.Headers.CacheControl is not { Private: true }
            && !response.Headers.Vary.Contains("*"))
        {
            _cache.Store(request.Target, request.Options.Accept, result);
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
