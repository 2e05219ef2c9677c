using System.Globalization;
using System.Threading.Channels;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Proxying;
using CoAP.NET.Oscore;
using Spectre.Console;

namespace CoAP.NET.Cli.Commands;

/// <summary>One observation: shows its notifications, and reports the state of the registration.</summary>
/// <param name="run">The client, and the output of responses.</param>
/// <param name="request">The request to observe.</param>
/// <param name="uri">The URI as the user wrote it.</param>
/// <param name="count">Maximum number of notifications.</param>
/// <param name="isPersistent">Whether to continue after an error response, or without an answer at first.</param>
internal sealed class ObserveRun(RequestRun run, CoapRequest request, string uri, int count, bool isPersistent)
{
    // A terminal can be slower than a server; drops the oldest notifications that it cannot keep up with.
    private const int MaxWaiting = 10_000;

    private readonly Channel<ObserveEvent> _happenings = Channel.CreateBounded<ObserveEvent>(
        new BoundedChannelOptions(MaxWaiting) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <summary>The exit code of the last response; that of a request without an answer before the first one.</summary>
    public int Code { get; private set; } = ExitCodes.Timeout;

    /// <summary>Observes until the maximum number, an error, or cancellation.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        CoapObservationOptions options = new()
        {
            OnNotification = response => _happenings.Writer.TryWrite(new ObserveEvent(response, default, null)),
        };
        long since = run.Context.TimeProvider.GetTimestamp();
        long retransmissions = run.Retransmissions;
        CoapObservation observation;
        using (run.Waiting?.Begin(run.Client, request.Timeout, request.Confirmable))
        {
            observation = await run.Client.ObserveAsync(ProxyRequestFactory.Ask(request, run.Proxy), options, cancellationToken)
                .ConfigureAwait(false);
        }

        await using (observation.ConfigureAwait(false))
        {
            if (!isPersistent && observation is { State: not CoapObserveState.Observing, Latest: null, Error: { } error })
            {
                throw error;
            }

            observation.StateChanged += (_, state) => _happenings.Writer.TryWrite(new ObserveEvent(null, state, observation.Error));
            Report(new ObserveEvent(null, observation.State, observation.Error));
            int shown = 0;
            while (shown < count && await _happenings.Reader.WaitToReadAsync(cancellationToken).ConfigureAwait(false))
            {
                ObserveEvent happening = await _happenings.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
                if (happening.Response is not { } response)
                {
                    Report(happening);
                    await RenewKeysAsync(observation, happening.Error, cancellationToken).ConfigureAwait(false);
                    continue;
                }

                shown++;
                ResponseDetails facts = run.FactsOf(request.Method, uri, since, retransmissions);
                since = run.Context.TimeProvider.GetTimestamp();
                retransmissions = run.Retransmissions;
                Show(response, facts);
                Code = ExitCodes.Of(response.Code);
                if (response.Code.IsError)
                {
                    // The server removed the registration with it (RFC 7641 section 3.2).
                    if (!isPersistent)
                    {
                        break;
                    }

                    run.Context.Error.MarkupLine("[grey]The request is repeated after a while. Press Ctrl-C to stop.[/]");
                }
            }
        }

        return Code;
    }

    // A server that restarted has lost the keys of an earlier key exchange.
    private async Task RenewKeysAsync(CoapObservation observation, CoapException? error, CancellationToken cancellationToken)
    {
        if (run.Edhoc is not { } edhoc || error is not CoapUnprotectedResponseException)
        {
            return;
        }

        try
        {
            await edhoc.ConnectAsync(run.Client, cancellationToken).ConfigureAwait(false);
            await observation.RefreshAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            Remark("No new keys", exception);
        }
    }

    private void Report(ObserveEvent happening)
    {
        switch (happening.State)
        {
            case CoapObserveState.NotObserving:
                FailureReporter.Write(
                    run.Context, $"{uri} cannot be observed: the server answered without Observe.",
                    "The request is repeated from time to time. Press Ctrl-C to stop.");
                break;
            case CoapObserveState.Stale when happening.Error is null && !run.IsVerbose:
                // A notification a moment after Max-Age is not worth a remark; a new registration is.
                break;
            case CoapObserveState.Stale:
                Remark("The last notification may be out of date", happening.Error);
                break;
            case CoapObserveState.Reregistering when happening.Error is not CoapResponseException:
                Remark("Registering again", happening.Error);
                break;
            case CoapObserveState.Failed:
                _happenings.Writer.TryComplete(happening.Error);
                break;
            default:
                // The response itself reports an error response.
                break;
        }
    }

    private void Remark(string what, CoapException? why)
    {
        string reason = why is null ? "." : $": {why.Message}";
        run.Context.Error.MarkupLine($"[grey]{what}{Markup.Escape(reason)}[/]");
    }

    private void Show(CoapResponse response, ResponseDetails facts)
    {
        if (run.Printer.Style == PayloadStyle.Pretty)
        {
            string observe = response.Options.Observe is { } number ? string.Create(CultureInfo.InvariantCulture, $"  #{number}") : "";
            string time = facts.Time.ToLocalTime().ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture);
            run.Context.Out.MarkupLine($"[grey]{time}  {Markup.Escape(response.Code.ToString())}{observe}[/]");
        }

        run.Printer.Print(response, facts);
        if (!response.Code.IsError)
        {
            // In sequence, and each on a line of its own.
            run.Printer.EndLine(response);
        }
    }

    private readonly record struct ObserveEvent(CoapResponse? Response, CoapObserveState State, CoapException? Error);
}
