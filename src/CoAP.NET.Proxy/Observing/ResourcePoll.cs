using CoAP.NET.Diagnostics;
using CoAP.NET.Proxy.Upstreams;

namespace CoAP.NET.Proxy.Observing;

/// <summary>
/// Polls a resource for clients that observe it if the protocol of its server has no observations (RFC 7641 section 5). It polls when the
/// known representation is stale, at most once per interval, and less often while the server fails. Thread-safe.
/// </summary>
internal sealed class ResourcePoll : IDisposable
{
    // An hour without a response means more than one error, and a recovered server must not get the polls of all proxies at once.
    private const int MaxFailures = 6;

    private static readonly TimeSpan s_minMaxAge = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan s_maxWait = TimeSpan.FromDays(1);
    private static readonly TimeSpan s_maxWaitAfterFailure = TimeSpan.FromHours(1);

    private readonly UpstreamClient _upstream;
    private readonly CoapForwardedRequest _request;
    private readonly TimeSpan _interval;
    private readonly EventCounter<ProxyCounterKind> _counts;
    private readonly Action<CoapResult, bool> _onAnswer;
    private readonly CancellationTokenSource _stop = new();
    private readonly ITimer _timer;
    private CoapResult? _latest;
    private int _failures;

    /// <summary>Creates a poll.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="upstream">The upstream that sends the requests.</param>
    /// <param name="request">The request that started it.</param>
    /// <param name="interval">The minimum time between two polls.</param>
    /// <param name="counts">The counters.</param>
    /// <param name="onAnswer">Receives the known response after each poll, and whether it changed. An error is the last one.</param>
    public ResourcePoll(
        TimeProvider time, UpstreamClient upstream, CoapForwardedRequest request, TimeSpan interval, EventCounter<ProxyCounterKind> counts,
        Action<CoapResult, bool> onAnswer)
    {
        _upstream = upstream;
        _request = request;
        _interval = interval;
        _counts = counts;
        _onAnswer = onAnswer;
        _timer = time.CreateTimer(static poll => _ = ((ResourcePoll)poll!).PollAsync(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>Polls for the first time.</summary>
    /// <returns>The response. After an error polling stops.</returns>
    public async Task<CoapResult> BeginAsync(CancellationToken cancellationToken)
    {
        CoapResult first = await _upstream.SendAsync(Make(null), cancellationToken).ConfigureAwait(false);
        if (first.Code.IsSuccess)
        {
            _latest = Known(first, WaitAfter(first));
            WaitFor(WaitAfter(first));
            return _latest;
        }

        return first;
    }

    public void Dispose()
    {
        _timer.Dispose();
        _stop.Cancel();
    }

    private async Task PollAsync()
    {
        CoapResult answer;
        try
        {
            _counts.Add(ProxyCounterKind.Polls);
            answer = await _upstream.SendAsync(Make(_latest), _stop.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // no caller waits for it: a failure becomes an error response
        catch (Exception exception)
#pragma warning restore CA1031
        {
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            answer = CoapErrorResponse.Of(exception);
        }

        Take(answer);
    }

    private void Take(CoapResult answer)
    {
        if (answer.Code.IsError)
        {
            Fail(answer);
            return;
        }

        _failures = 0;
        TimeSpan wait = WaitAfter(answer);
        bool isChanged = answer.Code != CoapCode.Valid && !IsSame(answer, _latest);
        _latest = Known(isChanged ? answer : _latest!, wait);
        _onAnswer(_latest, isChanged);
        WaitFor(wait);
    }

    // Errors of the client and missing resources end the poll; temporary errors of the server do not.
    private void Fail(CoapResult answer)
    {
        bool mayPass = answer.Code.Class == 5 || answer.Code == CoapCode.TooManyRequests;
        if (!mayPass || ++_failures >= MaxFailures)
        {
            _onAnswer(answer, true);
            return;
        }

        TimeSpan asked = answer.Options.MaxAge ?? TimeSpan.Zero;
        TimeSpan doubled = _interval * (1 << _failures);
        WaitFor(Clamp(asked > doubled ? asked : doubled, _interval, s_maxWaitAfterFailure));
    }

    private TimeSpan WaitAfter(CoapResult answer) => Clamp(answer.Options.MaxAge ?? MaxAgeOption.Default, _interval, s_maxWait);

    private static TimeSpan Clamp(TimeSpan time, TimeSpan min, TimeSpan max) => time < min || max < min ? min : time > max ? max : time;

    // The response stays valid until the next one has had time to arrive. Observers need not ask in between because they get notifications.
    private static CoapResult Known(CoapResult answer, TimeSpan wait)
    {
        CoapResult known = answer.Copy();
        TimeSpan twice = TimeSpan.FromSeconds(Math.Ceiling(wait.TotalSeconds) * 2);
        known.OwnOptions.MaxAge = twice > s_minMaxAge ? twice : s_minMaxAge;
        return known;
    }

    private static bool IsSame(CoapResult answer, CoapResult? latest) =>
        latest is not null && answer.Code == latest.Code && answer.Options.ContentFormat == latest.Options.ContentFormat
        && answer.Payload.Span.SequenceEqual(latest.Payload.Span);

    private void WaitFor(TimeSpan wait)
    {
        if (!_stop.IsCancellationRequested)
        {
            _timer.Change(wait, Timeout.InfiniteTimeSpan);
        }
    }

    // Asks only for changes, regardless of the client's entity-tags.
    private CoapForwardedRequest Make(CoapResult? latest)
    {
        CoapOptionCollection options = new CoapOptionCollection(_request.Options.Registry).AddAll(_request.Options);
        options.ETag = latest?.Options.ETag;
        return new CoapForwardedRequest(
            _request.Received, _request.Source, _request.Target, options, _request.Timeout, _request.Targets, mayBeShared: false);
    }
}
