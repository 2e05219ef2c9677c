using CoAP.NET.Errors;
using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>Delays requests that a server deferred, as <see cref="CoapTooManyRequestsBehavior"/> says (RFC 8516 section 4).</summary>
/// <param name="environment">Provides the clock.</param>
/// <param name="tooManyRequests">The default for requests that set none.</param>
/// <param name="stopped">Ends all waits because the endpoint was stopped.</param>
internal sealed class RetryAfterStep(
    CoapEnvironment environment, CoapTooManyRequestsBehavior tooManyRequests, CancellationToken stopped = default) : OutgoingRequestStep
{
    private const int MaxAttempts = 5;

    private readonly RetryAfterTable _table = new();

    public override StepOutcome Before(OutgoingRequest request) =>
        _table.IsEmpty || ModeOf(request) == CoapTooManyRequestsBehavior.None || WaitOf(request) <= TimeSpan.Zero
            ? StepOutcome.Go
            : StepOutcome.Wait(PassAsync(request));

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
    {
        CoapTooManyRequestsBehavior mode = ModeOf(request);
        if (response.Code.IsSuccess || mode == CoapTooManyRequestsBehavior.None
            || !IsRefused(response, waits: mode == CoapTooManyRequestsBehavior.Wait))
        {
            return StepOutcome.Done(response);
        }

        long now = environment.Now;
        if (response.Code == CoapCode.TooManyRequests)
        {
            _table.Add(request, now + response.MaxAge.Ticks, now);
        }

        return mode != CoapTooManyRequestsBehavior.Wait || sent.AttemptOf(request) == MaxAttempts - 1
            || !Fits(response.MaxAge, request, now)
            ? StepOutcome.Done(response)
            : StepOutcome.Wait(SendLaterAsync(request, response.MaxAge));
    }

    private CoapTooManyRequestsBehavior ModeOf(OutgoingRequest request) => request.Request.TooManyRequests ?? tooManyRequests;

    private static bool IsRefused(CoapResponse response, bool waits) =>
        response.Code == CoapCode.TooManyRequests
            || (waits && response.Code == CoapCode.ServiceUnavailable && response.Options.Contains(OptionNumber.MaxAge));

    private TimeSpan WaitOf(OutgoingRequest request) => _table.IsEmpty ? TimeSpan.Zero : _table.WaitOf(request, environment.Now);

    private async Task<StepOutcome> PassAsync(OutgoingRequest request)
    {
        await PassTableAsync(request).ConfigureAwait(false);
        return StepOutcome.Go;
    }

    private async Task<StepOutcome> SendLaterAsync(OutgoingRequest request, TimeSpan wait)
    {
        await WaitAsync(wait, request.Cancellation).ConfigureAwait(false);
        await PassTableAsync(request).ConfigureAwait(false);

        // A new message: the peer may still know the previous one by its Message ID.
        return StepOutcome.Again(request with { Message = request.CopyMessage() });
    }

    // The server may have refused other requests while this one waited.
    private async ValueTask PassTableAsync(OutgoingRequest request)
    {
        while (WaitOf(request) is var wait && wait > TimeSpan.Zero)
        {
            if (ModeOf(request) != CoapTooManyRequestsBehavior.Wait || !Fits(wait, request, environment.Now))
            {
                environment.Counters.Add(CoapCounter.RequestsHeldBack);
                throw RequestErrors.RetryLater(request.Channel.ToString(), wait);
            }

            await WaitAsync(wait, request.Cancellation).ConfigureAwait(false);
        }
    }

    private async Task WaitAsync(TimeSpan wait, CancellationToken cancellationToken)
    {
        TaskCompletionSource over = new(environment.CompletionOptions);
        using (cancellationToken.UnsafeRegister(End, over))
        using (stopped.UnsafeRegister(End, over))
        {
            // Timers count whole milliseconds: a shorter rest would not wait at all, but loop.
            using ITimer timer = environment.TimeProvider.CreateTimer(End, over,
                TimeSpan.FromMilliseconds(Math.Ceiling(wait.TotalMilliseconds)), Timeout.InfiniteTimeSpan);
            await over.Task.ConfigureAwait(false);
        }

        cancellationToken.ThrowIfCancellationRequested();
        if (stopped.IsCancellationRequested)
        {
            throw new CoapException("The endpoint was stopped while the request waited until the server accepts it again.");
        }
    }

    private void End(object? over) => environment.Report(static over => ((TaskCompletionSource)over!).TrySetResult(), over);

    // Timers accept no more than 49 days.
    private static bool Fits(TimeSpan wait, OutgoingRequest request, long now) =>
        wait.TotalDays < 49 && (request.TimeLeft(now) is not { } left || left == Timeout.InfiniteTimeSpan || wait < left);
}
