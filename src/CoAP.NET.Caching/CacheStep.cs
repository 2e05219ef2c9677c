using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Caching;

/// <summary>
/// The client's cache (RFC 7252 sections 5.6 and 5.9.1): answers from stored responses, validates them, stores new ones, and discards
/// responses that a request of ours changes.
/// </summary>
internal sealed class CacheStep : ResponseCacheStep
{
    private readonly CoapEnvironment _environment;
    private readonly CoapCache _cache;

    /// <summary>Creates the step.</summary>
    /// <param name="environment">Provides clock, counters and log, and identifies the endpoint.</param>
    /// <param name="cache">The cache.</param>
    public CacheStep(CoapEnvironment environment, CoapCache cache)
    {
        _environment = environment;
        _cache = cache;
    }

    public override StepOutcome Before(OutgoingRequest request)
    {
        CoapMessage message = request.Message;
        CoapCacheMode mode = request.Request.CacheMode;
        bool isSafe = message.Code.IsSafe;
        if (isSafe && UseOf(request) is var use && use != CacheAccessLevel.None && KeyOf(request) is { } key)
        {
            return use == CacheAccessLevel.Full ? Lookup(request, key, mode)
                : mode == CoapCacheMode.OnlyIfCached ? throw RequestErrors.NotCached()
                : Note(request, new CacheStepState { Key = key, IsStoreOnly = true, Stamp = _cache.Stamp(key) });
        }

        if (mode == CoapCacheMode.OnlyIfCached)
        {
            throw RequestErrors.NotCached();
        }

        // PUT, POST, DELETE, PATCH, iPATCH and unknown methods. Without a response it is unknown whether the resource was changed.
        if (!isSafe && CacheKey.TryGetUri(message, request.Channel, NamedBy(request), out string? uri))
        {
            request.Note = new CacheStepState { Changed = uri };
            return StepOutcome.Watch;
        }

        return StepOutcome.Go;
    }

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
    {
        if (request.Note is CacheStepState { Changed: null } && request.Request.Transfer is { LeavesBodyOut: true })
        {
            // The response became too large during the transfer.
            return StepOutcome.Done(response);
        }

        switch (request.Note)
        {
            case CacheStepState { Changed: { } uri }:
                if (response.IsSuccess)
                {
                    _cache.InvalidateNormal(uri);
                }

                InvalidateCreated(uri, response);
                break;
            case CacheStepState { Key: { } key, IsStoreOnly: true } note:
                StoreResponse(key, response, note.Stamp, request.Request.OnBehalfOf);
                break;
            case CacheStepState { Key: { } key } note:
                if (note.Validated is { } validated && response.Code == CoapCode.Valid && sent.AttemptOf(request) == 0)
                {
                    CoapQuotaSource? source = request.Request.OnBehalfOf;
                    if (_cache.Refresh(key, validated, response.Message, _environment.Now, note.Stamp, source) is { } valid)
                    {
                        _environment.Counters.Add(CoapCounter.CacheValidations);
                        return StepOutcome.Done(valid);
                    }

                    // A tag that was not in the request validates nothing. Without tags, the server cannot answer like this again.
                    CacheLog.UnknownTagValidated(_environment.Logger, response.Remote);
                    return StepOutcome.Again(request);
                }

                _cache.Store(key, response, _environment.Now, note.Stamp, request.Request.OnBehalfOf);
                break;
            default:
                break;
        }

        return StepOutcome.Done(response);
    }

    public override StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception)
    {
        if (request.Note is CacheStepState { Changed: { } uri })
        {
            _cache.InvalidateNormal(uri);
        }

        return StepOutcome.Fail(exception);
    }

    /// <summary>
    /// Returns the key of a request; null if its responses must not be stored. For notifications, which are stored when they arrive.
    /// </summary>
    public CacheKey? KeyOf(OutgoingRequest request) =>
        CacheKey.TryCreate(request.Message, _environment.Registry, request.Channel, NamedBy(request), _environment, out CacheKey? key)
            ? key
            : null;

    // An error notification only says that the observation has ended, not what a plain request would get. It is therefore not stored, and
    // older responses need validation.
    public override void Store(OutgoingRequest registration, CoapResponse notification)
    {
        if (UseOf(registration) != CacheAccessLevel.None && KeyOf(registration) is { } key)
        {
            if (notification.IsSuccess)
            {
                StoreResponse(key, notification, null, registration.Request.OnBehalfOf);
            }
            else
            {
                _cache.InvalidateNormal(key.Uri);
            }
        }
    }

    private static CoapUri? NamedBy(OutgoingRequest request) => request.IsOfTarget ? request.Target : null;

    // A response whose body goes to a stream, or is only a part, must not be stored as the whole, and a stored response must not replace
    // it.
    private CacheAccessLevel UseOf(OutgoingRequest request) =>
        request.Request.CacheMode == CoapCacheMode.Bypass || request.Request.Transfer is { LeavesBodyOut: true }
            ? CacheAccessLevel.None
            : CacheRules.UseOf(request.Message, _environment.Registry);

    private StepOutcome Lookup(OutgoingRequest request, CacheKey key, CoapCacheMode mode)
    {
        request.Cancellation.ThrowIfCancellationRequested();
        CacheLookup found = _cache.Find(key, _environment.Now, mode, request.Request.OnBehalfOf);
        if (found.Fresh is { } fresh)
        {
            _environment.Counters.Add(CoapCounter.CacheHits);
            return StepOutcome.Done(fresh);
        }

        if (mode == CoapCacheMode.OnlyIfCached)
        {
            throw RequestErrors.NotCached();
        }

        _environment.Counters.Add(CoapCounter.CacheMisses);
        CoapMessage? validating = Validating(request, found.Candidates);
        Note(request, new CacheStepState { Key = key, Validated = validating is null ? null : found.Candidates, Stamp = found.Stamp });
        return validating is null ? StepOutcome.Go : StepOutcome.GoWith(request with { Message = validating });
    }

    private static StepOutcome Note(OutgoingRequest request, CacheStepState note)
    {
        request.Note = note;
        return StepOutcome.Go;
    }

    /// <summary>Returns the message with the tags of the stored responses; null if there are none, or no room for them.</summary>
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

        // The library cuts a large payload into blocks, but not options (RFC 7959 section 2.1): they must leave room for the smallest
        // block.
        const int SmallestBlock = 16;
        return validating.SizeBound - validating.Payload.Length + SmallestBlock <= request.Channel.MaxMessageSize ? validating : null;
    }

    private void StoreResponse(CacheKey key, CoapResponse response, long? stamp, CoapQuotaSource? source)
    {
        long now = _environment.Now;
        if (response.Code == CoapCode.Valid)
        {
            // The user validated a tag, which may be one of ours.
            _cache.Refresh(key, _cache.Candidates(key), response.Message, now, stamp, source);
        }
        else
        {
            _cache.Store(key, response, now, stamp, source);
        }
    }

    // Removes responses for the URI that the request created (RFC 7252 section 5.9.1.1).
    private void InvalidateCreated(string uri, CoapResponse response)
    {
        if (response.Code == CoapCode.Created && response.Options.Location is { } location
            && CoapUri.TryParse(uri, out CoapUri? target) && target.TryResolve(location, out CoapUri? created, out string? _))
        {
            _cache.InvalidateNormal(created.ToString());
        }
    }
}

/// <summary>The state of a request in <see cref="CacheStep"/> until its response arrives.</summary>
internal sealed class CacheStepState : StepState
{
    /// <summary>The URI that the request changes; null for a request that changes nothing.</summary>
    public string? Changed { get; init; }

    /// <summary>The key under which the response is stored; null if it is not stored.</summary>
    public CacheKey? Key { get; init; }

    /// <summary>Whether the cache must not answer the request, so that nothing was looked up.</summary>
    public bool IsStoreOnly { get; init; }

    /// <summary>The stored responses that the server may validate; null if the request asks for no validation.</summary>
    public StoredResponse[]? Validated { get; init; }

    /// <summary>
    /// The state of the URI when the request was sent; the response is stored only if the resource did not change in between.
    /// </summary>
    public long Stamp { get; init; }
}
