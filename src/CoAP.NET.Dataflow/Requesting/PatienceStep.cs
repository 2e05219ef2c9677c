using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>Keeps requests back that a server does not want yet, as <see cref="CoapPatience"/> says (RFC 8516 section 4).</summary>
/// <param name="environment">For the clock.</param>
/// <param name="patience">What holds for requests that say nothing of their own.</param>
/// <param name="stopped">Ends all waiting, as the endpoint was stopped.</param>
internal sealed class PatienceStep(CoapEnvironment environment, CoapPatience patience, CancellationToken stopped = default) : RequestStep
{
    private const int MaxAttempts = 5;

    private readonly PatienceTable _table = new();

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        CoapPatience mode = ModeOf(request);
        return mode == CoapPatience.None ? Next.SendAsync(request, cancellationToken) : SendPatientlyAsync(request, null, mode == CoapPatience.Wait, cancellationToken);
    }

    public override bool MustSend(OutgoingRequest request) => !_table.IsEmpty && ModeOf(request) != CoapPatience.None;

    public override bool Concerns(OutgoingRequest request, CoapResponse response) =>
        !response.Code.IsSuccess && ModeOf(request) is var mode && mode != CoapPatience.None && IsRefused(response, mode == CoapPatience.Wait);

    public override Task<CoapResponse> CompleteAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken) =>
        SendPatientlyAsync(request, response, ModeOf(request) == CoapPatience.Wait, cancellationToken);

    private CoapPatience ModeOf(OutgoingRequest request) => request.Request.Patience ?? patience;

    private static bool IsRefused(CoapResponse response, bool waits) =>
        response.Code == CoapCode.TooManyRequests || (waits && response.Code == CoapCode.ServiceUnavailable && response.Options.Contains(OptionNumber.MaxAge));

    private async Task<CoapResponse> SendPatientlyAsync(OutgoingRequest request, CoapResponse? answer, bool waits, CancellationToken cancellationToken)
    {
        OutgoingRequest attempt = request;
        for (int i = 1; ; i++)
        {
            if (answer is null)
            {
                await PassAsync(request, waits, cancellationToken).ConfigureAwait(false);
            }

            CoapResponse response = answer ?? await Next.SendAsync(attempt, cancellationToken).ConfigureAwait(false);
            answer = null;
            if (!IsRefused(response, waits))
            {
                return response;
            }

            long now = environment.Now;
            if (response.Code == CoapCode.TooManyRequests)
            {
                _table.Add(request, now + response.MaxAge.Ticks, now);
            }

            if (!waits || i == MaxAttempts || !Fits(response.MaxAge, request, now))
            {
                return response;
            }

            await WaitAsync(response.MaxAge, cancellationToken).ConfigureAwait(false);

            // A message of its own: the one before may still be known by its Message ID.
            attempt = request.With(request.CopyMessage());
        }
    }

    private async ValueTask PassAsync(OutgoingRequest request, bool waits, CancellationToken cancellationToken)
    {
        while (!_table.IsEmpty && _table.WaitOf(request, environment.Now) is var wait && wait > TimeSpan.Zero)
        {
            if (!waits || !Fits(wait, request, environment.Now))
            {
                environment.Counters.Add(CoapCounter.RequestsHeldBack);
                throw new CoapRetryLaterException(request.Channel.ToString(), wait);
            }

            await WaitAsync(wait, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task WaitAsync(TimeSpan wait, CancellationToken cancellationToken)
    {
        TaskCompletionSource over = new(environment.CompletionOptions);
        using (cancellationToken.UnsafeRegister(End, over))
        using (stopped.UnsafeRegister(End, over))
        {
            // Timers count whole milliseconds: what is left of one would not be waited for at all, but asked for again and again.
            using ITimer timer = environment.TimeProvider.CreateTimer(End, over, TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds)), Timeout.InfiniteTimeSpan);
            await over.Task.ConfigureAwait(false);
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (stopped.IsCancellationRequested)
        {
            throw new CoapException("The endpoint was stopped while the request waited for the time that the server had asked for.");
        }
    }

    private void End(object? over) => environment.Tell(static over => ((TaskCompletionSource)over!).TrySetResult(), over);

    // Timers take no more than 49 days.
    private static bool Fits(TimeSpan wait, OutgoingRequest request, long now) =>
        wait.TotalDays < 49 && (request.TimeLeft(now) is not { } left || left == Timeout.InfiniteTimeSpan || wait < left);
}
