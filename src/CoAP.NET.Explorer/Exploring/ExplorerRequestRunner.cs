using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>One request or observation of a page: sends it, and reports the events.</summary>
/// <param name="client">Sends the request.</param>
/// <param name="request">The request.</param>
/// <param name="events">The page.</param>
/// <param name="time">The clock.</param>
internal sealed class ExplorerRequestRunner(ExplorerClient client, CoapRequest request, PageEventWriter events, TimeProvider time)
{
    /// <summary>Sends the request and reports the response.</summary>
    /// <param name="offset">The offset in the body at which the download starts.</param>
    /// <param name="maxSize">The maximum number of bytes of the body.</param>
    /// <param name="cancellationToken">The page was closed, or canceled.</param>
    public async Task SendAsync(long offset, int maxSize, CancellationToken cancellationToken)
    {
        using ResponseBodyReceiver body = new(events, offset, maxSize);
        request.Destination = body;
        CoapResponse response;
        TimeSpan elapsed;

        // The page has the last figure before the response.
        using (PacedProgress progress = new(events, time))
        {
            request.Progress = progress;
            long started = time.GetTimestamp();
            response = await client.Client.SendAsync(request, cancellationToken).ConfigureAwait(false);
            elapsed = time.GetElapsedTime(started);
        }

        ReadOnlyMemory<byte> payload = response.Payload.IsEmpty ? body.Body : response.Payload;
        events.Add(ResponseJson.Add(
            new() { ["kind"] = "response" }, response, payload, elapsed, client.Watch.Retransmissions, time.GetUtcNow()));
    }

    /// <summary>Observes until the page is closed, or the observation ends.</summary>
    public async Task ObserveAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
        CoapObservationOptions options = new() { OnNotification = Report };
        CoapObservation observation = await client.Client.ObserveAsync(request, options, cancellationToken).ConfigureAwait(false);
        await using (observation.ConfigureAwait(false))
        {
            observation.StateChanged += (_, state) => Report(state, observation, ended);
            Report(observation.State, observation, ended);
            await ended.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    private void Report(CoapResponse response)
    {
        DateTimeOffset now = time.GetUtcNow();
        events.Add(
            ResponseJson.Add(new() { ["kind"] = "notification", ["time"] = now }, response, response.Payload, null, 0, now), isKept: false);
    }

    private void Report(CoapObserveState state, CoapObservation observation, TaskCompletionSource ended)
    {
        events.Add(new() { ["kind"] = "state", ["state"] = state.ToString(), ["detail"] = observation.Error?.Message });
        if (state is CoapObserveState.Failed or CoapObserveState.Cancelled)
        {
            ended.TrySetResult();
        }
    }
}
