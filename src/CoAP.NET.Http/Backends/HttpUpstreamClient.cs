using System.Net;
using System.Net.Http.Headers;
using System.Runtime.ExceptionServices;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Caching;
using CoAP.NET.Cryptography;
using CoAP.NET.Http.Translating;
using CoAP.NET.Proxy;

namespace CoAP.NET.Http.Backends;

/// <summary>Forwards requests of a CoAP proxy to HTTP servers (RFC 7252 section 10.1).</summary>
internal sealed class HttpUpstreamClient : UpstreamClient
{
    private static readonly string[] s_schemes = ["http", "https"];
    private static readonly TimeSpan s_retryAfter = TimeSpan.FromSeconds(5);

    private readonly CoapHttpBackendOptions _options;
    private readonly Lazy<HttpClient> _guarded;
    private readonly Lazy<HttpClient> _own = new(static () => new HttpClient(
        new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false, AutomaticDecompression = DecompressionMethods.None })
    { Timeout = Timeout.InfiniteTimeSpan });
    private readonly EntityTagMap _tags = new();
    private readonly DeviceCertificateHttpClients _certified;
    private readonly CoapCache _cache;

    public HttpUpstreamClient(CoapHttpBackendOptions options, CoapProxyTargets targets)
    {
        _options = options;
        _cache = new CoapCache(options.CacheBytes, timeProvider: options.TimeProvider);
        _certified = new DeviceCertificateHttpClients(
            options.MaxCertificateClients, options.CertificateIdleTimeout, options.ConfigureCertificateHandler, options.TimeProvider);
        _guarded = new Lazy<HttpClient>(() => new HttpClient(new AllowedHostConnector(targets, options.TimeProvider).MakeHandler())
        {
            Timeout = Timeout.InfiniteTimeSpan,
        });
    }

    public override IReadOnlyCollection<string> Schemes => s_schemes;

    // A server that knows the device may answer each device differently.
    public override bool DependsOnClient => _options.Identity is not null || _options.ClientCertificate is not null;

    public override long CacheHits => _cache.Hits;

    public override TimeSpan? PollInterval => _options.PollInterval;

    // A conversion needs the whole body.
    public override bool StreamsBodyOf(CoapMethod method, CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return _options.Translator.Json.MediaTypeOf(options.ContentFormat) is null;
    }

    public override async Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (!PlatformCryptographyAvailability.IsAvailable && request.Target.StartsWith("https:", StringComparison.OrdinalIgnoreCase))
        {
            // A client of a forward proxy names the target: it must not end the process.
            return CoapResults.Status(CoapCode.ProxyingNotSupported, PlatformCryptographyAvailability.Missing("https"));
        }

        CoapCacheTransaction? cached = CachedOf(request);
        if (cached?.Fresh is { } fresh)
        {
            return CoapResults.Response(fresh);
        }

        try
        {
            return await SendAsync(request, cached, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // After a change, cached responses are invalid for all clients (RFC 7252 section 5.6). Without a response the outcome of the
            // change is unknown.
            if (!request.Code.IsSafe)
            {
                _cache.Invalidate(request.Target);
            }
        }
    }

    private async Task<CoapResult> SendAsync(
        CoapForwardedRequest request, CoapCacheTransaction? cached, CancellationToken cancellationToken)
    {
        // A streamed body enforces its own timeout.
        using CancellationTokenSource time = new(
            request.Body is null ? request.Timeout : Timeout.InfiniteTimeSpan, _options.TimeProvider);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(time.Token, cancellationToken);
        try
        {
            X509Certificate2? certificate = request.Targets is null ? _options.ClientCertificate?.Invoke(request.Received) : null;
            if (certificate is null)
            {
                HttpClient client = request.Targets is not null ? _guarded.Value : _options.Client?.Invoke() ?? _own.Value;
                return await AskAsync(request, cached, client, either.Token).ConfigureAwait(false);
            }

            using DeviceCertificateHttpClients.Lease? lease = _certified.TryRent(certificate);
            return lease is null
                ? CoapResults.ServiceUnavailable(s_retryAfter)
                : await AskAsync(request, cached, lease.Client, either.Token).ConfigureAwait(false);
        }
        catch (CoapHttpTranslationException exception)
        {
            return CoapResults.Status(exception.Code, exception.Message);
        }
        catch (CoapContentException exception)
        {
            // The client's own payload: a failure of the server's payload is handled with its response.
            return CoapResults.Status(exception.Code, exception.Message);
        }
        catch (Exception exception) when (GivenUpBy(exception) is { } client)
        {
            // The failure comes from the client, not from the server.
            ExceptionDispatchInfo.Throw(client);
            throw;
        }
        catch (HttpRequestException exception)
            when (exception.InnerException is CoapTargetDeniedException or CoapException { Error: CoapError.Busy })
        {
            ExceptionDispatchInfo.Throw(exception.InnerException);
            throw;
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException
            || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            CoapCode code = CoapHttpErrors.CodeOf(exception);
            return CoapResults.Status(code, code == CoapCode.GatewayTimeout ? "The server did not answer in time."
                : "The proxy cannot reach the server.");
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

    private static CoapException? GivenUpBy(Exception? exception)
    {
        while (exception is not null and not CoapException { Error: CoapError.BodyIncomplete })
        {
            exception = exception.InnerException;
        }

        return (CoapException?)exception;
    }

    private static bool IsRedirect(HttpStatusCode status) =>
        status is HttpStatusCode.MovedPermanently or HttpStatusCode.Found or HttpStatusCode.SeeOther
            or HttpStatusCode.TemporaryRedirect or HttpStatusCode.PermanentRedirect;

    // Null if the response is for this client alone, or must not be cached.
    private CoapCacheTransaction? CachedOf(CoapForwardedRequest request)
    {
        if (_options.CacheBytes == 0 || !request.MayBeShared || request.Code != CoapCode.Get)
        {
            return null;
        }

        return _cache.Begin(MessageOf(request.Code, request.Options), request.Target, request.Source);
    }

    private static CoapMessage MessageOf(CoapCode code, CoapOptionCollection options, ReadOnlyMemory<byte> payload = default)
    {
        CoapMessage message = new(code, options.Registry) { Payload = payload };
        message.Options.AddAll(options);
        return message;
    }

    private async Task<CoapResult> AskAsync(
        CoapForwardedRequest request, CoapCacheTransaction? cached, HttpClient client, CancellationToken cancellationToken)
    {
        if (cached is null)
        {
            return (await AskAsync(request, request.Options, client, cancellationToken).ConfigureAwait(false)).Answer;
        }

        // The client's tags are sent in addition to those of the cache: one of them may be valid without a cache entry.
        CoapOptionCollection options = new CoapOptionCollection(request.Options.Registry).AddAll(request.Options);
        cached.AddTagsTo(options);
        (CoapResult answer, bool mayBeKept) = await AskAsync(request, options, client, cancellationToken).ConfigureAwait(false);
        CoapResult completed = mayBeKept
            ? CoapResults.Response(cached.Complete(MessageOf(answer.Code, answer.Options, answer.Payload)))
            : answer;
        if (completed.Code == CoapCode.Valid && !request.Options.Contains(OptionNumber.ETag))
        {
            // The tag was not among the requested ones. Without tags the server cannot answer like this again.
            options.Remove(OptionNumber.ETag);
            (completed, _) = await AskAsync(request, options, client, cancellationToken).ConfigureAwait(false);
        }

        return completed;
    }

    private async Task<(CoapResult Answer, bool MayBeKept)> AskAsync(
        CoapForwardedRequest request, CoapOptionCollection options, HttpClient client, CancellationToken cancellationToken)
    {
        CoapMethod method = (CoapMethod)request.Code.Value;
        Uri target = new(request.Target);
        bool convertsBody = !request.Payload.IsEmpty && _options.Translator.Json.MediaTypeOf(options.ContentFormat) is not null;
        for (int redirects = 0; ; redirects++)
        {
            using HttpRequestMessage message = CoapToHttpRequest.Translate(
                method, options, request.Payload, target, _options.Translator, _tags, convertsBody, request.Body);
            message.Options.Set(CoapHttpRequestOptions.OnBehalfOf, request.Source);
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

            if (convertsBody && response.StatusCode == HttpStatusCode.UnsupportedMediaType)
            {
                // The server reads no JSON, and has done nothing: it gets the original payload of the device.
                convertsBody = false;
                continue;
            }

            CoapResult result = HttpToCoapResponseTranslator.Translate(
                response,
                await ReadAsync(response.Content, cancellationToken).ConfigureAwait(false),
                method,
                options,
                _options.Translator,
                _tags,
                _options.TimeProvider.GetUtcNow());
            return (result, MayBeKept(response, result));
        }
    }

    // HTTP errors carry no lifetime, and CoAP would cache them for 60 s.
    private static bool MayBeKept(HttpResponseMessage response, CoapResult result) =>
        (result.Code == CoapCode.Content || result.Code == CoapCode.Valid)
        && response.Headers.CacheControl is not { Private: true } && !response.Headers.Vary.Contains("*");

    // From a configured server only to itself; otherwise to allowed targets, and never from TLS to plain text.
    private static Uri? Next(CoapForwardedRequest request, Uri target, Uri? location)
    {
        if (location is null || !Uri.TryCreate(target, location, out Uri? next) || !s_schemes.Contains(next.Scheme)
            || (target.Scheme == "https" && next.Scheme != "https"))
        {
            return null;
        }

        bool isAllowed = request.Targets is { } targets
            ? targets.MayAllow(next)
            : next.GetLeftPart(UriPartial.Authority) == target.GetLeftPart(UriPartial.Authority);
        return isAllowed ? next : null;
    }

    private void AddIdentity(HttpRequestMessage message, CoapForwardedRequest request, Uri target)
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
                    HttpStatusCode.BadGateway, CoapCode.BadGateway, $"The response has more than the allowed {_options.MaxBodySize} "
                        + "bytes.");
            }

            body.Write(buffer, 0, read);
        }

        return body.ToArray();
    }
}
