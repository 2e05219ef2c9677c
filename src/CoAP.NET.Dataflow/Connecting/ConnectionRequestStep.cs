using CoAP.NET.Errors;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Connecting;

/// <summary>
/// Finds the connection for a request, and another one if it ends before the response arrives (RFC 8323 section 3.4). A request that was
/// not sent yet always moves to the new connection. A sent request is repeated once if its method is idempotent (RFC 7252 section 5.1).
/// Requests in datagrams pass unchanged.
/// </summary>
/// <param name="environment">For options, clock and counters.</param>
/// <param name="pool">The connections.</param>
internal sealed class ConnectionRequestStep(CoapEnvironment environment, ConnectionPool pool) : OutgoingRequestStep
{
    // The maximum number of other connections for a request whose connection ended before it was used.
    private const int MaxMoves = 2;

    // Timers take no more than 49 days.
    private static readonly TimeSpan s_longestTimer = TimeSpan.FromDays(40);

    /// <summary>
    /// Whether the peer's CSM must arrive before a message is sent (RFC 8323 section 5.3): the message may be larger than every peer must
    /// accept, or another party chose its bytes and could address a server of another protocol.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="content">The source of its body; null when the body is the payload.</param>
    /// <param name="isForOther">Whether another party sent the request to this application.</param>
    public static bool NeedsCapabilities(CoapMessage message, CoapContent? content, bool isForOther) =>
        isForOther || content?.Open is not null || message.Payload.Length > 1024
            || message.SizeBound > Options.MaxMessageSizeOption.BaseValue;

    public override StepOutcome Before(OutgoingRequest request) =>
        request.Route is ConnectionRoute route ? Connect(request, route, request.Message, isAgain: false) : StepOutcome.Go;

    public override StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception)
    {
        if (request.Route is not ConnectionRoute route || exception is not CoapConnectionException ended)
        {
            return StepOutcome.Fail(exception);
        }

        if (ended.IsUnsent && route.MessagesSent <= 1)
        {
            if (++route.Moves > MaxMoves || !MayMove(request, route, sent.Channel))
            {
                return StepOutcome.Fail(exception);
            }
        }
        else if (route.IsRepeated || !MayRepeat(request, route, sent.Channel, ended))
        {
            return StepOutcome.Fail(Finally(request, route, ended));
        }
        else
        {
            route.IsRepeated = true;
            environment.Counters.Add(CoapCounter.RequestsRepeated);
        }

        // A new message, because the options that the steps below added to the other one are for the ended connection.
        return Connect(request, route, request.CopyMessage(), isAgain: true);
    }

    /// <summary>Returns the connection of a route. If the message needs the capabilities of the peer, waits for its CSM.</summary>
    /// <exception cref="CoapTimeoutException">The time of the request ended first.</exception>
    /// <exception cref="CoapConnectionException">No connection could be opened, or it ended before the CSM.</exception>
    public ValueTask<CoapChannel> ConnectAsync(
        ConnectionRoute route, CoapMessage message, bool needsCapabilities, ClientRequestTimeLimit time,
            CancellationToken cancellationToken)
    {
        CoapChannel? channel = pool.Find(route);
        return channel is not null && (!needsCapabilities || ConnectionStatusReader.IsReady(channel))
            ? new ValueTask<CoapChannel>(channel)
            : new ValueTask<CoapChannel>(WaitAsync(route, message, needsCapabilities, time, cancellationToken));
    }

    private StepOutcome Connect(OutgoingRequest request, ConnectionRoute route, CoapMessage message, bool isAgain)
    {
        // A download that begins at a later block asks for a block at once (RFC 8323 section 5.3.2).
        bool needsCapabilities =
            NeedsCapabilities(request.Message, request.Request.Content, request.Request.Transfer is { IsForOther: true })
            || request.Request.Transfer?.Download is { Offset: > 0 };
        ValueTask<CoapChannel> connecting = ConnectAsync(
            route, request.Message, needsCapabilities, request.TimeAt(environment.Now), request.Cancellation);
        return connecting.IsCompletedSuccessfully
            ? Connected(request, route, message, connecting.Result, isAgain)
            : StepOutcome.Wait(ConnectAsync(request, route, message, connecting, isAgain));
    }

    private static async Task<StepOutcome> ConnectAsync(
        OutgoingRequest request, ConnectionRoute route, CoapMessage message, ValueTask<CoapChannel> connecting, bool isAgain) =>
        Connected(request, route, message, await connecting.ConfigureAwait(false), isAgain);

    private static StepOutcome Connected(OutgoingRequest request, ConnectionRoute route, CoapMessage message, CoapChannel channel,
        bool isAgain)
    {
        route.MessagesSent = 0;
        if (request.Channel.Carried is { } carried)
        {
            channel = channel.Protected(carried.Context);
        }

        return isAgain ? StepOutcome.Again(request with { Channel = channel, Message = message })
            : channel == request.Channel ? StepOutcome.Watch
            : StepOutcome.WatchWith(request with { Channel = channel });
    }

    private async Task<CoapChannel> WaitAsync(
        ConnectionRoute route, CoapMessage message, bool needsCapabilities, ClientRequestTimeLimit time,
            CancellationToken cancellationToken)
    {
        if (!time.IsFinite)
        {
            return await WaitAsync(route, needsCapabilities, cancellationToken).ConfigureAwait(false);
        }

        TimeSpan left = time.Left!.Value;
        using CancellationTokenSource over = new(left < s_longestTimer ? left : s_longestTimer, environment.TimeProvider);
        using CancellationTokenSource both = CancellationTokenSource.CreateLinkedTokenSource(over.Token, cancellationToken);
        try
        {
            return await WaitAsync(route, needsCapabilities, both.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new CoapTimeoutException(
                route.Progress is { } progress
                    ? TimeoutFacts.OfConnecting(progress, CoapTimeLimitKind.RequestTimeout, time.Whole)
                    : new TimeoutFacts(CoapTimeoutStep.Capabilities, CoapTimeLimitKind.RequestTimeout, time.Whole,
                        CoapTimeoutReason.NotSent),
                message.Code,
                route.ToString());
        }
    }

    private async Task<CoapChannel> WaitAsync(ConnectionRoute route, bool needsCapabilities, CancellationToken cancellationToken)
    {
        CoapChannel channel = await pool.GetAsync(route, cancellationToken).ConfigureAwait(false);
        if (needsCapabilities && !ConnectionStatusReader.IsReady(channel))
        {
            await ConnectionStatusReader.WhenReadyAsync(channel).WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        return channel;
    }

    // A connection whose CSM never arrived counts as a connection that could not be opened. The request fails instead of trying again.
    private bool MayMove(OutgoingRequest request, ConnectionRoute route, CoapChannel channel) =>
        route.Only is null && HasTime(request) && ConnectionStatusReader.EndOf(channel).WasReady;

    private bool MayRepeat(OutgoingRequest request, ConnectionRoute route, CoapChannel channel, CoapConnectionException exception) =>
        environment.Streams.RepeatsIdempotentRequests
        && route.Only is null
        && request.Message.Code.IsIdempotent
        && request.FirstBlock is null
        && request.Request.Content is not { IsRepeatable: false }
        && !(request.Request.Transfer is { Destination: not null } or { OpenedResponse.IsStreamed: true } && route.MessagesSent > 1)
        && HasTime(request)
        && !pool.IsAbortedAgain(channel, exception);

    private bool HasTime(OutgoingRequest request) =>
        request.Timeout is null || request.TimeLeft(environment.Now) is not { } left || left == Timeout.InfiniteTimeSpan
            || left > TimeSpan.Zero;

    // An unsent message of a transfer leaves open what happened to the messages before it.
    private static CoapConnectionException Finally(OutgoingRequest request, ConnectionRoute route, CoapConnectionException exception) =>
        exception.IsOutcomeUnknown || route.MessagesSent <= 1 || request.Message.Code.IsSafe
            ? exception
            : new CoapConnectionException(exception.Error, exception.Message, exception)
            {
                Diagnostic = exception.Diagnostic,
                RetryAfter = exception.RetryAfter,
                IsOutcomeUnknown = true,
            };
}
