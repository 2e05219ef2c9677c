using CoAP.NET.Caching;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>The client's cache (RFC 7252 sections 5.6 and 5.9.1): answers from what is stored, validates it, stores what comes, and forgets what a request of ours changes.</summary>
internal sealed class CacheStep : RequestStep
{
    private readonly CoapEnvironment _environment;
    private readonly CoapCache _cache;

    /// <summary>Makes the step.</summary>
    /// <param name="environment">For clock, counters and log; stands for the endpoint.</param>
    /// <param name="cache">The cache.</param>
    public CacheStep(CoapEnvironment environment, CoapCache cache)
    {
        cache.Attach(environment.TimeProvider);
        _environment = environment;
        _cache = cache;
    }

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        CoapMessage message = request.Message;
        if (!message.Code.IsSafe)
        {
            return ChangeAsync(request, cancellationToken);
        }

        CoapCacheMode mode = request.Request.CacheMode;
        CacheUse use = UseOf(request);
        if (use == CacheUse.None || KeyOf(request) is not { } key)
        {
            return mode == CoapCacheMode.OnlyIfCached ? Task.FromException<CoapResponse>(new CoapCacheMissException()) : Next.SendAsync(request, cancellationToken);
        }

        if (use == CacheUse.StoreOnly)
        {
            return mode == CoapCacheMode.OnlyIfCached
                ? Task.FromException<CoapResponse>(new CoapCacheMissException())
                : StoreOnlyAsync(request, key, cancellationToken);
        }

        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<CoapResponse>(cancellationToken);
        }

        CacheLookup found = _cache.Find(key, _environment.Now, mode);
        if (found.Fresh is { } fresh)
        {
            _environment.Counters.Add(CoapCounter.CacheHits);
            return Task.FromResult(fresh);
        }

        return mode == CoapCacheMode.OnlyIfCached ? Task.FromException<CoapResponse>(new CoapCacheMissException()) : AskAsync(request, key, found, cancellationToken);
    }

    /// <summary>The key of a request; null when its answers may not be stored. For notifications, which are stored when they come.</summary>
    public CacheKey? KeyOf(OutgoingRequest request) =>
        CacheKey.TryCreate(request.Message, request.Channel, _environment, out CacheKey? key) ? key : null;

    /// <summary>
    /// Stores a notification, the newest one of its observation (RFC 7641 section 3.3): plain requests are answered by it while it is fresh. An error says of the observation that it has
    /// ended, and nothing of what a plain request would get: it is not stored, and nothing older is used without asking.
    /// </summary>
    /// <param name="registration">The request that registered.</param>
    /// <param name="notification">The notification, with its whole body.</param>
    public void Store(OutgoingRequest registration, CoapResponse notification)
    {
        if (UseOf(registration) != CacheUse.None && KeyOf(registration) is { } key)
        {
            if (notification.IsSuccess)
            {
                Keep(key, notification, null);
            }
            else
            {
                _cache.InvalidateNormal(key.Uri);
            }
        }
    }

    // A response whose body goes to a stream or is a part of the whole must neither be stored as if it were all, nor be left out because something is stored.
    private static CacheUse UseOf(OutgoingRequest request) =>
        request.Request.CacheMode == CoapCacheMode.Bypass || request.Request.Transfer is { LeavesBodyOut: true } ? CacheUse.None : CacheRules.UseOf(request.Message);

    private async Task<CoapResponse> AskAsync(OutgoingRequest request, CacheKey key, CacheLookup found, CancellationToken cancellationToken)
    {
        _environment.Counters.Add(CoapCounter.CacheMisses);
        CoapResponse response;
        if (Validating(request, found.Candidates) is { } validating)
        {
            response = await Next.SendAsync(request.With(validating), cancellationToken).ConfigureAwait(false);
            if (response.Code == CoapCode.Valid)
            {
                if (_cache.Refresh(key, found.Candidates, response.Message, _environment.Now, found.Stamp) is { } valid)
                {
                    _environment.Counters.Add(CoapCounter.CacheValidations);
                    return valid;
                }

                // A tag that was not in the request says nothing of what is stored. Without tags the server cannot answer so again.
                Log.UnknownTagValidated(_environment.Logger, response.Remote);
                response = await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
            }
        }
        else
        {
            response = await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }

        _cache.Store(key, response, _environment.Now, found.Stamp);
        return response;
    }

    /// <summary>The message with the tags of what is stored; null when there are none, or no room for them.</summary>
    private static CoapMessage? Validating(OutgoingRequest request, StoredResponse[] candidates)
    {
        if (candidates.Length == 0)
        {
            return null;
        }

        CoapMessage validating = request.CopyMessage();
        foreach (StoredResponse candidate in candidates)
        {
            validating.Options.Add(candidate.Tag!);
        }

        // A large payload is cut into blocks, options are not (RFC 7959 section 2.1): they leave room for the smallest block at least.
        const int SmallestBlock = 16;
        return validating.SizeBound - validating.Payload.Length + SmallestBlock <= request.Channel.MaxMessageSize ? validating : null;
    }

    private async Task<CoapResponse> StoreOnlyAsync(OutgoingRequest request, CacheKey key, CancellationToken cancellationToken)
    {
        long stamp = _cache.Stamp(key);
        CoapResponse response = await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
        Keep(key, response, stamp);
        return response;
    }

    private void Keep(CacheKey key, CoapResponse response, long? stamp)
    {
        long now = _environment.Now;
        if (response.Code == CoapCode.Valid)
        {
            // The user validated a tag of his own, which may be one of ours.
            _cache.Refresh(key, _cache.Candidates(key), response.Message, now, stamp);
        }
        else
        {
            _cache.Store(key, response, now, stamp);
        }
    }

    // PUT, POST, DELETE, PATCH, iPATCH and methods that nobody knows.
    private async Task<CoapResponse> ChangeAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        if (request.Request.CacheMode == CoapCacheMode.OnlyIfCached)
        {
            throw new CoapCacheMissException();
        }

        if (!CacheKey.TryGetUri(request.Message, request.Channel, out string? uri))
        {
            return await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
        }

        CoapResponse? response = null;
        try
        {
            response = await Next.SendAsync(request, cancellationToken).ConfigureAwait(false);
            return response;
        }
        finally
        {
            // Without a response nobody knows whether the resource was changed.
            if (response is null || response.IsSuccess)
            {
                _cache.InvalidateNormal(uri);
            }

            // What was created elsewhere (RFC 7252 section 5.9.1.1).
            if (response?.Code == CoapCode.Created && response.Options.Location is { } location
                && CoapUri.TryParse(uri, out CoapUri? target) && target.TryResolve(location, out CoapUri? created, out string? _))
            {
                _cache.InvalidateNormal(created.ToString());
            }
        }
    }
}
