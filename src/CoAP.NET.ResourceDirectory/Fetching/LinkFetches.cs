using CoAP.NET.Execution;
using CoAP.NET.Guarding;
using CoAP.NET.Requests;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Fetching;

/// <summary>
/// Fetches the links of registrants on request (RFC 9176 section 5.1), only from the verified source address of the request. Pending
/// fetches are limited in total and per source. Fresh links are not fetched again: a device that cannot serve while it waits for a response
/// asks again and gets an immediate answer. Thread-safe.
/// </summary>
internal sealed class LinkFetches : IDisposable
{
    // Results are kept for at most this time.
    private static readonly TimeSpan s_longestKept = TimeSpan.FromHours(24);

    // The maximum silence of a device (MAX_TRANSMIT_WAIT of RFC 7252).
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(93);

    private readonly CoapDirectoryOptions _options;
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _end = new();
    private readonly Dictionary<FetchKey, Task<LinkFetchResult>> _inProgress = [];
    private readonly SourceQuota _places;
    private readonly LruDictionary<FetchKey, (LinkFetchResult Links, DateTimeOffset Until)> _kept;
    private bool _isOver;

    public LinkFetches(CoapDirectoryOptions options)
    {
        _options = options;
        _places = new SourceQuota(options.Limits.MaxFetches, options.Limits.MaxFetchesPerSource);
        _kept = new(options.Limits.MaxFetches);
    }

    public int InProgress
    {
        get
        {
            lock (_gate)
            {
                return _inProgress.Count;
            }
        }
    }

    /// <summary>Fetches the links of a peer.</summary>
    /// <returns>The links, perhaps cached; null if too many fetches are pending.</returns>
    public Task<LinkFetchResult>? TryFetch(CoapPeer peer, in DirectoryOwner owner)
    {
        FetchKey place = new(owner, peer.Address);
        CoapQuotaSource source = peer.Source;
        TaskCompletionSource<LinkFetchResult> fetched = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_kept.TryGetValue(place, out (LinkFetchResult Links, DateTimeOffset Until) kept)
                && kept.Until > _options.TimeProvider.GetUtcNow())
            {
                return Task.FromResult(kept.Links);
            }

            if (_inProgress.TryGetValue(place, out Task<LinkFetchResult>? known))
            {
                return known;
            }

            if (Volatile.Read(ref _isOver) || !_places.TryEnter(source))
            {
                return null;
            }

            _inProgress.Add(place, fetched.Task);
        }

        _ = RunAsync(peer, place, source, fetched);
        return fetched.Task;
    }

    public void Dispose()
    {
        if (!Interlocked.Exchange(ref _isOver, true))
        {
            _end.Cancel();
            _end.Dispose();
        }
    }

    private async Task RunAsync(CoapPeer peer, FetchKey place, CoapQuotaSource source, TaskCompletionSource<LinkFetchResult> fetched)
    {
        LinkFetchResult result = await FetchAsync(peer, _end.Token).ConfigureAwait(false);
        lock (_gate)
        {
            _inProgress.Remove(place);
            _places.Exit(source);
            if (result.Links is not null && result.MaxAge > TimeSpan.Zero)
            {
                Store(place, result);
            }
        }

        fetched.SetResult(result);
    }

    private void Store(FetchKey place, LinkFetchResult links)
    {
        DateTimeOffset now = _options.TimeProvider.GetUtcNow();
        DateTimeOffset until = now + (links.MaxAge < s_longestKept ? links.MaxAge : s_longestKept);
        _kept.Set(place, (links, until));
        while (_kept.Oldest is { Value.Until: var oldest } first && oldest <= now)
        {
            _kept.Remove(first.Key, out _);
        }
    }

    private async Task<LinkFetchResult> FetchAsync(CoapPeer peer, CancellationToken cancellationToken)
    {
        CoapRequest request = new(CoapMethod.Get, "/.well-known/core") { Accept = CoapContentFormat.LinkFormat, Timeout = s_timeout };
        try
        {
            CoapOpenedResponse opened = await peer.OpenResponseAsync(request, _options.Limits.MaxLinkBytes, cancellationToken)
                .ConfigureAwait(false);
            await using (opened.ConfigureAwait(false))
            {
                return opened.Body is not null ? Failed($"has more than {_options.Limits.MaxLinkBytes} bytes") : Read(opened.Response);
            }
        }
        catch (CoapTimeoutException)
        {
            return new LinkFetchResult(null, new DirectoryRefusal(CoapCode.GatewayTimeout,
                "Your /.well-known/core did not answer. Serve it at the address and port that you register from, and register again."),
                TimeSpan.Zero);
        }
        catch (CoapException exception)
        {
            return Failed("could not be fetched: " + exception.Message);
        }
        catch (OperationCanceledException)
        {
            return Failed("was not fetched because this directory stops");
        }
    }

    private LinkFetchResult Read(CoapResponse response)
    {
        if (response.Code != CoapCode.Content || (response.ContentFormat is { } format && format != CoapContentFormat.LinkFormat)
            || response.Payload.Length > _options.Limits.MaxLinkBytes)
        {
            return Failed($"was answered {response.Code} with {response.Payload.Length} bytes of "
                + $"{response.ContentFormat?.ToString() ?? "no"} format, instead of 2.05 with at most "
                + $"{_options.Limits.MaxLinkBytes} bytes in "
                + "link format");
        }

        DirectoryRefusal? refusal = RegistrationLinks.TryRead(
            response.Payload.Span, _options.Limits.MaxLinks, out RegistrationLinks? links);
        return new LinkFetchResult(links, refusal, response.MaxAge);
    }

    private static LinkFetchResult Failed(string what) => new(null,
        new DirectoryRefusal(CoapCode.BadGateway, $"Your /.well-known/core {what} (RFC 9176 section 5.1)."), TimeSpan.Zero);

    private readonly record struct FetchKey(DirectoryOwner Owner, CoapAddress Address);
}
